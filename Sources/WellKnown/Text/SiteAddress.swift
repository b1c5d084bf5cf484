import SSOShared

/// The `site` of a web target, or the address of an `include`, taken apart as Digital Asset Links does.
///
/// Source: the Digital Asset Links specification and its compatibility suite, comptest2201 to 2215.
struct SiteAddress {
    /// Lower case.
    let scheme: String
    /// As written, without brackets for none.
    let host: String
    /// 1 to 65535; `nil` when none is written.
    let port: Int?
    /// From the first `/`, `?` or `#`, that character included; empty for none.
    let rest: String

    /// What keeps a text from being an http or https address.
    enum ParseError: Error {
        case blanks
        case noScheme
        case otherScheme(String)
        case login
        case noHost
        case badHost
        case badPort(String)
    }

    init(_ text: String) throws(ParseError) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { throw .blanks }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            throw .noScheme
        }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard scheme == "http" || scheme == "https" else { throw .otherScheme(scheme) }
        let after = bytes[(colon + 3)...]
        let end = after.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let authority = after[..<(end ?? after.endIndex)]
        guard !authority.contains(UInt8(ascii: "@")) else { throw .login }
        var host = authority
        var port: Int?
        if let colon = authority.lastIndex(of: UInt8(ascii: ":")), authority.last != UInt8(ascii: "]") {
            host = authority[..<colon]
            let digits = authority[(colon + 1)...]
            guard digits.count <= 5, digits.allSatisfy(\.isASCIIDigit),
                let number = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(number)
            else { throw .badPort(String(decoding: digits.prefix(20), as: UTF8.self)) }
            port = number
        }
        guard !host.isEmpty else { throw .noHost }
        let isIPv6 = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
        let isName = host.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
                || $0 == UInt8(ascii: "_") || $0 >= 0x80
        }
        guard isIPv6 || isName, host.first != UInt8(ascii: "."), !host.elementsEqual(".".utf8) else { throw .badHost }
        self.scheme = scheme
        self.host = String(decoding: host, as: UTF8.self)
        self.port = port
        rest = end.map { String(decoding: after[$0...], as: UTF8.self) } ?? ""
    }

    /// Scheme, host and port as they are compared: lower case, no dot at the end, no default port.
    var origin: String {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        guard let port, port != (scheme == "https" ? 443 : 80) else { return "\(scheme)://\(name)" }
        return "\(scheme)://\(name):\(port)"
    }
}

extension SiteAddress.ParseError: CustomStringConvertible {
    /// Half a sentence: what is wrong.
    var description: String {
        switch self {
        case .blanks: "it has a blank or a control character"
        case .noScheme: "it does not begin with https://"
        case .otherScheme(let scheme): "its scheme is \(scheme.quoted)"
        case .login: "it has a login"
        case .noHost: "it has no host"
        case .badHost: "its host has characters that a host name cannot have"
        case .badPort(let port): "its port \(port.quoted) is no number from 1 to 65535"
        }
    }
}
