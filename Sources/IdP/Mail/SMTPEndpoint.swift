import SSOShared

/// A mail server and how to talk to it.
struct SMTPEndpoint: Sendable {
    let isTLSFromStart: Bool
    /// Without the brackets of an IPv6 address.
    let host: String
    let port: UInt16
    let login: SMTPLogin?

    /// - Parameter rest: what follows the `//`.
    init(_ rest: ArraySlice<UInt8>, isTLSFromStart: Bool) throws(MailURLFault) {
        var rest = rest
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
            login = try SMTPLogin(rest[..<at])
            rest = rest[rest.index(after: at)...]
        } else {
            login = nil
        }
        if rest.last == UInt8(ascii: "/") { rest.removeLast() }
        guard !rest.contains(where: { "/?#".utf8.contains($0) }) else { throw .rest }
        let (host, port) = try Self.split(rest)
        self.isTLSFromStart = isTLSFromStart
        self.host = host
        // The submission ports of RFC 6409 and RFC 8314.
        self.port = try port.map(Self.port) ?? (isTLSFromStart ? 465 : 587)
    }

    /// Letters that never leave this machine need no encryption.
    var isLoopback: Bool { LoopbackHost.contains(host) }

    var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

    private static func split(_ bytes: ArraySlice<UInt8>) throws(MailURLFault) -> (String, ArraySlice<UInt8>?) {
        let colon = UInt8(ascii: ":")
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
            let inner = bytes[bytes.index(after: bytes.startIndex)..<end]
            guard inner.contains(colon), inner.allSatisfy({ "0123456789abcdefABCDEF:.".utf8.contains($0) }) else {
                throw .host
            }
            let rest = bytes[bytes.index(after: end)...]
            guard rest.isEmpty || rest.first == colon else { throw .port }
            return (
                String(decoding: inner.map(HostName.lowercased), as: UTF8.self), rest.isEmpty ? nil : rest.dropFirst()
            )
        }
        let end = bytes.firstIndex(of: colon) ?? bytes.endIndex
        guard HostName.isName(bytes[..<end]) else { throw .host }
        let host = String(decoding: bytes[..<end].map(HostName.lowercased), as: UTF8.self)
        return (host, end == bytes.endIndex ? nil : bytes[bytes.index(after: end)...])
    }

    private static func port(_ digits: ArraySlice<UInt8>) throws(MailURLFault) -> UInt16 {
        guard (1...5).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else { throw .port }
        return port
    }
}

extension SMTPEndpoint: CustomStringConvertible {
    var description: String {
        let name = isIPv6 ? "[\(host)]" : host
        let who = login.map { "\($0)@" } ?? ""
        return "\(isTLSFromStart ? "smtps" : "smtp")://\(who)\(name):\(port)"
    }
}
