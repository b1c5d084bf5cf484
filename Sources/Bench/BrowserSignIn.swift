import Foundation
import Glibc

/// Signs in browsers with the codes from the outbox.
struct BrowserSignIn {
    let port: UInt16
    let authority: String
    let outbox: String

    /// One after another, so that each new email belongs to the latest request.
    ///
    /// - Returns: the `Cookie` values.
    func signIn(_ count: Int) throws -> [String] {
        var seen = Set(emails())
        return try (0..<count).map { number in
            let browser = Browser(connection: try WireConnection(port: port, index: number))
            try visit("/sign-in", browser, looking: "email")
            try submit(browser, "email", "bench\(number)@example.com")
            try submit(browser, "code", code(inNewEmail: &seen))
            return browser.cookie
        }
    }

    private final class Browser {
        let connection: WireConnection
        var cookie = ""
        var page: (path: String, fields: [(String, String)]) = ("", [])

        init(connection: WireConnection) {
            self.connection = connection
        }
    }

    /// Sends the form with one field filled in, and follows to the next form if there is one.
    private func submit(_ browser: Browser, _ name: String, _ value: String) throws {
        let fields = browser.page.fields.filter { $0.0 != name } + [(name, value)]
        let body = fields.map { "\($0.0)=\(Self.escape($0.1))" }.joined(separator: "&")
        let request = """
            POST \(browser.page.path) HTTP/1.1\r\nHost: \(authority)\r\nOrigin: http://\(authority)\r\nCookie: \(browser.cookie)\r
            Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
        let answer = try browser.connection.exchange(Array(request.utf8))
        keepCookie(answer, browser)
        guard answer.status == 303, let location = ByteSearch.text(after: "\nlocation: ", until: "\r", in: answer.head)
        else {
            throw BenchError("\(browser.page.path) answered \(answer.status) to a \(name)")
        }
        if name == "email" { try visit(Self.path(location), browser, looking: "code") }
    }

    /// Gets a page and takes its form with the field `name`.
    private func visit(_ path: String, _ browser: Browser, looking name: String) throws {
        let cookie = browser.cookie.isEmpty ? "" : "Cookie: \(browser.cookie)\r\n"
        let answer = try browser.connection.exchange(
            Array("GET \(path) HTTP/1.1\r\nHost: \(authority)\r\n\(cookie)\r\n".utf8))
        keepCookie(answer, browser)
        let html = String(decoding: answer.body, as: UTF8.self)
        guard answer.status == 200, let form = FormScan.form(with: name, in: html) else {
            throw BenchError("\(path) answered \(answer.status) without a form for the \(name)")
        }
        browser.page = (form.action.isEmpty ? path : Self.path(form.action), form.fields)
    }

    private func keepCookie(_ answer: WireConnection.Answer, _ browser: Browser) {
        if let cookie = ByteSearch.text(after: "set-cookie: ", until: ";\r", in: answer.head) {
            browser.cookie = cookie
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

    private static func path(_ location: String) -> String {
        guard location.hasPrefix("http://") else { return location }
        return String(location.dropFirst(7).drop { $0 != "/" })
    }

    private static func escape(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}

/// Reads the fields of our own forms. It is not a general HTML parser.
enum FormScan {
    /// The form with a field of this name.
    static func form(with name: String, in html: String) -> (action: String, fields: [(String, String)])? {
        for part in html.components(between: "<form", and: "</form>") where part.contains("name=\"\(name)\"") {
            let fields = part.components(between: "<input", and: ">").compactMap { tag -> (String, String)? in
                guard let name = attribute("name", of: tag) else { return nil }
                return (name, attribute("value", of: tag) ?? "")
            }
            return (attribute("action", of: part) ?? "", fields)
        }
        return nil
    }

    private static func attribute(_ name: String, of tag: Substring) -> String? {
        tag.components(between: "\(name)=\"", and: "\"").first.map { $0.replacing("&amp;", with: "&") }.map(String.init)
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Every text between two marks.
    func components(between open: String, and close: String) -> [Substring] {
        var (found, rest): ([Substring], Substring) = ([], self[...])
        while let start = rest.firstRange(of: open) {
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: close) else { return found }
            found.append(rest[..<end.lowerBound])
            rest = rest[end.upperBound...]
        }
        return found
    }
}
