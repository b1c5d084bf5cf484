import Foundation
import Glibc

/// Signs in browsers with the codes from the outbox.
struct BrowserSignIn {
    let port: UInt16
    let authority: String
    let outbox: String

    /// Of each browser.
    static func address(_ number: Int) -> String { "bench\(number)@example.com" }

    /// One after another, so that each new email belongs to the latest request.
    ///
    /// - Returns: the `Cookie` values.
    func signIn(_ count: Int) throws -> [String] {
        var seen = Set(emails())
        return try (0..<count).map { number in
            let browser = try BenchBrowser(port: port, authority: authority, index: number)
            try browser.visit("/sign-in")
            try browser.visit(
                browser.submit(formWith: "name=\"email\"", ("email", Self.address(number))))
            _ = try browser.submit(formWith: "name=\"code\"", ("code", code(inNewEmail: &seen)))
            return browser.cookie
        }
    }

    /// Waits for a new email and reads the six digits that are alone on a line.
    private func code(inNewEmail seen: inout Set<String>) throws -> String {
        let end = LoadLoop.now() + 20_000_000_000
        while LoadLoop.now() < end {
            for name in emails() where seen.insert(name).inserted {
                let lines = try String(contentsOfFile: "\(outbox)/\(name)", encoding: .utf8).split(
                    whereSeparator: \.isNewline)
                let digits = lines.map { $0.filter { $0 != " " && $0 != "-" } }
                    .first { $0.utf8.count == 6 && $0.utf8.allSatisfy { (48...57).contains($0) } }
                if let digits { return digits }
            }
            usleep(2_000)
        }
        throw BenchError("no email within twenty seconds")
    }

    private func emails() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: outbox)) ?? []
        return names.filter { $0.hasSuffix(".eml") }
    }
}
