import Foundation

/// Letters that were delivered into a folder: the outbox of the local trial, or the Maildir of the real SMTP server.
struct Letters: Sendable {
    let folder: String

    struct Letter: Sendable {
        let name: String
        let text: String

        /// The six digits that stand alone on a line, as a person would find them.
        var code: String? {
            for line in text.split(whereSeparator: \.isNewline) {
                let digits = line.utf8.filter { $0 != 32 && $0 != 45 }
                if digits.count == 6, digits.allSatisfy({ (48...57).contains($0) }) {
                    return String(decoding: digits, as: UTF8.self)
                }
            }
            return nil
        }

        /// The header's value, continuation lines not joined: enough for addresses and subjects in tests.
        func header(_ name: String) -> String? {
            for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                if line.isEmpty { return nil }
                if line.lowercased().hasPrefix(name.lowercased() + ":") {
                    return String(line.dropFirst(name.count + 1).drop { $0 == " " })
                }
            }
            return nil
        }
    }

    /// All letters to an address, oldest first.
    func all(to address: String) -> [Letter] {
        let files = FileManager.default
        let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { !$0.hasPrefix(".") && !$0.hasSuffix(".tmp") }.sorted()
            .compactMap { name in
                guard let data = files.contents(atPath: "\(folder)/\(name)") else { return nil }
                return Letter(name: name, text: String(decoding: data, as: UTF8.self))
            }
            .filter { $0.header("to")?.lowercased().contains(address.lowercased()) ?? false }
    }

    /// Waits for the letter number `count` to an address.
    func letter(to address: String, count: Int = 1, within limit: Duration = Patience.limit) async throws -> Letter {
        try await eventually("letter \(count) to \(address) in \(folder)", within: limit, every: .milliseconds(20)) {
            let letters = all(to: address)
            return letters.count >= count ? letters[count - 1] : nil
        }
    }

    /// Waits for a letter to an address and reads the code in it.
    func code(to address: String, count: Int = 1, within limit: Duration = Patience.limit) async throws -> String {
        let letter = try await letter(to: address, count: count, within: limit)
        guard let code = letter.code else { throw ProbeFailure("no code alone on a line of:\n\(letter.text)") }
        return code
    }
}
