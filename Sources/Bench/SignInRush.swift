import Foundation
import Glibc

/// Signs in browsers, each once, with the codes from the outbox. Afterwards each holds a session cookie.
struct SignInRush {
    let port: UInt16
    let authority: String
    let outbox: String

    /// One after another, so that each new letter is the one that was just asked for.
    ///
    /// - Parameter firstPerson: where the people's numbers begin; letters to one address are limited.
    /// - Returns: the `Cookie` values.
    func signIn(_ count: Int, firstPerson: Int) throws -> [String] {
        var seen = Set(letters())
        return try (firstPerson..<(firstPerson + count)).map { number in
            let person = Person(connection: try WireConnection(port: port, index: number))
            try visit("/sign-in", person, looking: "email")
            try submit(person, "email", "bench\(number)@example.com")
            try submit(person, "code", code(inNewLetter: &seen))
            return person.cookie
        }
    }

    private final class Person {
        let connection: WireConnection
        var cookie = ""
        var page: (path: String, fields: [(String, String)]) = ("", [])

        init(connection: WireConnection) {
            self.connection = connection
        }
    }

    /// Sends the form with one field filled in, and follows to the next form if there is one.
    private func submit(_ person: Person, _ name: String, _ value: String) throws {
        let fields = person.page.fields.filter { $0.0 != name } + [(name, value)]
        let body = fields.map { "\($0.0)=\(Self.escape($0.1))" }.joined(separator: "&")
        let request = """
            POST \(person.page.path) HTTP/1.1\r\nHost: \(authority)\r\nOrigin: http://\(authority)\r\nCookie: \(person.cookie)\r
            Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
        let answer = try person.connection.exchange(Array(request.utf8))
        keepCookie(answer, person)
        guard answer.status == 303, let location = ByteSearch.text(after: "\nlocation: ", until: "\r", in: answer.head)
        else {
            throw BenchFault("\(person.page.path) answered \(answer.status) to a \(name)")
        }
        if name == "email" { try visit(Self.path(location), person, looking: "code") }
    }

    /// Gets a page and takes its form with the field `name`.
    private func visit(_ path: String, _ person: Person, looking name: String) throws {
        let cookie = person.cookie.isEmpty ? "" : "Cookie: \(person.cookie)\r\n"
        let answer = try person.connection.exchange(
            Array("GET \(path) HTTP/1.1\r\nHost: \(authority)\r\n\(cookie)\r\n".utf8))
        keepCookie(answer, person)
        let html = String(decoding: answer.body, as: UTF8.self)
        guard answer.status == 200, let form = FormScan.form(with: name, in: html) else {
            throw BenchFault("\(path) answered \(answer.status) without a form for the \(name)")
        }
        person.page = (form.action.isEmpty ? path : Self.path(form.action), form.fields)
    }

    private func keepCookie(_ answer: WireConnection.Answer, _ person: Person) {
        if let cookie = ByteSearch.text(after: "set-cookie: ", until: ";\r", in: answer.head) { person.cookie = cookie }
    }

    /// Waits for a letter that was not there before and reads the six digits that stand alone on a line.
    private func code(inNewLetter seen: inout Set<String>) throws -> String {
        let end = LoadLoop.now() + 20_000_000_000
        while LoadLoop.now() < end {
            for name in letters() where seen.insert(name).inserted {
                let lines = try String(contentsOfFile: "\(outbox)/\(name)", encoding: .utf8).split(
                    whereSeparator: \.isNewline)
                let digits = lines.map { $0.filter { $0 != " " && $0 != "-" } }
                    .first { $0.utf8.count == 6 && $0.utf8.allSatisfy { (48...57).contains($0) } }
                if let digits { return digits }
            }
            usleep(2_000)
        }
        throw BenchFault("no letter within twenty seconds")
    }

    private func letters() -> [String] {
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
