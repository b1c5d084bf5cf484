import Foundation

/// A browser on the IdP's pages: one connection, the session's cookie, and the page it is on.
final class BenchBrowser {
    private let connection: WireConnection
    private let authority: String
    /// The `Cookie` value.
    var cookie = ""
    private var page = (path: "", html: "")

    /// - Parameter index: picks the network address.
    init(port: UInt16, authority: String, index: Int) throws {
        connection = try WireConnection(port: port, index: index)
        self.authority = authority
    }

    /// The page as it was sent.
    var html: String { page.html }

    /// Gets a page.
    func visit(_ path: String) throws {
        let cookie = cookie.isEmpty ? "" : "Cookie: \(cookie)\r\n"
        let answer = try exchange(Array("GET \(path) HTTP/1.1\r\nHost: \(authority)\r\n\(cookie)\r\n".utf8))
        guard answer.status == 200 else { throw BenchError("\(path) answered \(answer.status)") }
        page = (path, String(decoding: answer.body, as: UTF8.self))
    }

    /// Sends a form of the page.
    ///
    /// - Parameters:
    ///   - mark: what only this form contains, in HTML.
    ///   - filled: a field and its value.
    /// - Returns: where the answer leads.
    func submit(formWith mark: String, _ filled: (String, String)? = nil) throws -> String {
        let path = page.path
        let answer = try exchange(request(formWith: mark, filled))
        guard answer.status == 303, let location = ByteSearch.text(after: "\nlocation: ", until: "\r", in: answer.head)
        else { throw BenchError("\(path) answered \(answer.status) to the form with \(mark)") }
        return Self.path(location)
    }

    /// The request that sends a form of the page.
    ///
    /// - Parameter further: fields that are no `input`, with their values.
    func request(
        formWith mark: String, _ filled: (String, String)? = nil, further: [(String, String)] = []
    ) throws -> [UInt8] {
        guard let form = FormScan.form(with: mark, in: page.html) else {
            throw BenchError("\(page.path) has no form with \(mark)")
        }
        let fields = form.fields.filter { $0.0 != filled?.0 } + (filled.map { [$0] } ?? []) + further
        let body = fields.map { "\($0.0)=\(Self.escape($0.1))" }.joined(separator: "&")
        let path = form.action.isEmpty ? page.path : Self.path(form.action)
        return Array(
            """
            POST \(path) HTTP/1.1\r\nHost: \(authority)\r\nOrigin: http://\(authority)\r\nCookie: \(cookie)\r
            Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
            """.utf8)
    }

    /// The address of the link with this id.
    func link(id: String) throws -> String {
        guard let address = FormScan.link(id: id, in: page.html) else {
            throw BenchError("\(page.path) has no link with the id \(id)")
        }
        return address
    }

    private func exchange(_ request: [UInt8]) throws -> WireConnection.Answer {
        let answer = try connection.exchange(request)
        // The session's cookie is the first one.
        if let cookie = ByteSearch.text(after: "set-cookie: ", until: ";\r", in: answer.head) { self.cookie = cookie }
        return answer
    }

    private static func path(_ location: String) -> String {
        guard location.hasPrefix("http://") else { return location }
        return String(location.dropFirst(7).drop { $0 != "/" })
    }

    private static func escape(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}

/// Reads the forms and links of our own pages. It is not a general HTML parser.
enum FormScan {
    /// The first form that contains a mark.
    static func form(with mark: String, in html: String) -> (action: String, fields: [(String, String)])? {
        for part in html.components(between: "<form", and: "</form>") where part.contains(mark) {
            let fields = part.components(between: "<input", and: ">").compactMap { tag -> (String, String)? in
                guard let name = attribute("name", of: tag) else { return nil }
                return (name, attribute("value", of: tag) ?? "")
            }
            return (attribute("action", of: part) ?? "", fields)
        }
        return nil
    }

    static func link(id: String, in html: String) -> String? {
        html.components(between: "<a ", and: ">").first { $0.contains("id=\"\(id)\"") }
            .flatMap { attribute("href", of: $0) }
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
