import Foundation

/// A URL split by the rules of RFC 3986, as text and without repairs.
///
/// Browsers repair URLs: a backslash becomes a slash, a line break disappears, `https:/host` gets its second slash
/// (WHATWG URL, "URL parsing"). A check of another reading than the browser's can be deceived. Therefore such texts
/// have no parts at all.
struct LinkParts: Sendable, Hashable {
    /// In lower case.
    let scheme: String
    /// Between `//` and the path. `nil` without `//`.
    let authority: String?
    let path: String
    let query: String?
    let fragment: String?

    /// Longer texts are refused. No link of the server comes near it.
    static let maximumLength = 8192

    init?(_ url: URL) { self.init(url.absoluteString) }

    init?(_ text: String) {
        let isClean = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !Self.repaired.contains($0) }
        guard isClean, text.utf8.count <= Self.maximumLength, let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard Self.isScheme(scheme) else { return nil }
        var rest = text[text.index(after: colon)...]
        let fragment = Self.cut(&rest, at: "#")
        let query = Self.cut(&rest, at: "?")
        var authority: String?
        if rest.hasPrefix("//") {
            let tail = rest.dropFirst(2)
            let end = tail.firstIndex(of: "/") ?? tail.endIndex
            authority = String(tail[..<end])
            rest = tail[end...]
        }
        self.scheme = scheme
        self.authority = authority
        self.path = String(rest)
        self.query = query
        self.fragment = fragment
    }

    /// The values of a query parameter, percent-decoded, in order. `nil` if a name or value is not well-formed.
    static func values(of query: String?) -> [(name: String, value: String)]? {
        guard let query, !query.isEmpty else { return [] }
        var items: [(name: String, value: String)] = []
        for item in query.split(separator: "&") {
            let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = String(halves[0]).removingPercentEncoding,
                let value = String(halves.count == 2 ? halves[1] : "").removingPercentEncoding
            else { return nil }
            items.append((name, value))
        }
        return items
    }

    /// The path without the percent encoding of letters, digits, `-`, `.`, `_` and `~`: servers read both forms alike
    /// (RFC 3986, section 6.2.2.2). `nil` for dot segments, which browsers remove, and for encoded slashes, backslashes
    /// and control characters, which servers read in different ways.
    var plainPath: String? {
        var plain: [UInt8] = []
        var bytes = Array(path.utf8)[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                plain.append(byte)
                continue
            }
            let digits = String(decoding: bytes.prefix(2), as: UTF8.self)
            let isHex = digits.utf8.count == 2 && digits.allSatisfy(\.isHexDigit)
            guard isHex, let value = UInt8(digits, radix: 16), value > 0x1F, value != 0x7F else { return nil }
            guard value != UInt8(ascii: "/"), value != UInt8(ascii: "\\") else { return nil }
            if Self.isUnreserved(value) {
                plain.append(value)
            } else {
                plain += Array("%\(digits)".utf8)
            }
            bytes = bytes.dropFirst(2)
        }
        let text = String(decoding: plain, as: UTF8.self)
        return text.split(separator: "/").contains { $0 == "." || $0 == ".." } ? nil : text
    }

    private static let repaired: Set<UInt8> = Set("\\\"<>^`{|}".utf8)

    private static func cut(_ text: inout Substring, at mark: Character) -> String? {
        guard let index = text.firstIndex(of: mark) else { return nil }
        defer { text = text[..<index] }
        return String(text[text.index(after: index)...])
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return text.utf8.allSatisfy { isLetterOrDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || "-._~".utf8.contains(byte) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
