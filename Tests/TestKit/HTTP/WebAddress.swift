/// An absolute http address, split as far as needed to connect and to resolve a link against it.
struct WebAddress: Sendable, Equatable {
    let host: String
    let port: UInt16
    /// Path and query, as sent in the request line.
    let target: String

    init(_ text: String) throws {
        guard text.hasPrefix("http://") else { throw ProbeFailure("not an http address: \(text)") }
        let rest = text.dropFirst(7)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, let port = parts.count == 2 ? UInt16(parts[1]) : 80 else {
            throw ProbeFailure("no host and port in: \(text)")
        }
        let target = rest.dropFirst(authority.count).prefix { $0 != "#" }
        (self.host, self.port) = (String(host), port)
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
    }

    var origin: String { "http://\(host):\(port)" }
    var absolute: String { origin + target }
    var path: String { String(target.prefix { $0 != "?" }) }

    /// The value of a query item, percent-decoded; nil when it is missing.
    func query(_ name: String) -> String? {
        let query = target.drop { $0 != "?" }.dropFirst()
        for item in query.split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.first.map(String.init) == name { return pair.count == 2 ? FormCoding.decode(pair[1]) : "" }
        }
        return nil
    }

    /// The target of a link or a `Location` on this page.
    func resolving(_ link: String) throws -> WebAddress {
        if link.hasPrefix("http://") || link.hasPrefix("https://") { return try WebAddress(link) }
        if link.hasPrefix("/") { return try WebAddress(origin + link) }
        if link.isEmpty { return self }
        if link.hasPrefix("?") { return try WebAddress(origin + path + link) }
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return try WebAddress(origin + folder + "/" + link)
    }
}

/// `application/x-www-form-urlencoded`, both ways.
enum FormCoding {
    static func encode(_ fields: [(String, String)]) -> String {
        fields.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
    }

    static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let bytes = text.utf8.flatMap { plain.contains($0) ? [$0] : [37, digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func decode(_ text: some StringProtocol) -> String {
        var (bytes, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            if byte == 37, rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == 43 ? 32 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
