import Foundation

/// A host and an optional port: the authority of a URL, a listen address, a mail server (RFC 3986 section 3.2).
///
/// The only parser of hosts and ports in this repository. Two parsers that read `https://good.example\@evil.example`
/// differently would let a check and a connection end at different hosts. Nothing here asks DNS.
public struct HostPort: Sendable, Hashable {
    /// What the host is written as.
    public enum Kind: Sendable, Hashable {
        case name
        /// Four decimal numbers without leading zeros.
        case ipv4
        /// In brackets (RFC 3986 section 3.2.2), without a zone.
        case ipv6
    }

    /// What a caller accepts beyond the strict form.
    public struct Allowance: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Names with bytes from 0x80 on (IRIs), `_`, and labels of any length, as they occur in links.
        public static let looseNames = Allowance(rawValue: 1)
        /// `host:` with nothing after the colon, which RFC 3986 permits and which means no port.
        public static let emptyPort = Allowance(rawValue: 2)
        /// Port 0: to bind, it lets the system choose.
        public static let portZero = Allowance(rawValue: 4)
    }

    /// In lower case, without the brackets of IPv6.
    public let host: String
    /// nil when none is given.
    public let port: Int?
    /// What the host is written as.
    public let kind: Kind

    /// Parses `host`, `host:port` and the same with an IPv4 address or an IPv6 address in brackets.
    ///
    /// A name is labels of letters, digits and inner hyphens (RFC 1123 section 2.1), at most 253 bytes, with one dot at
    /// its end permitted. A name whose last label is a number is refused unless it is an IPv4 address: `127.1` and
    /// `0x7f.1` are addresses to some programs.
    public init(_ bytes: ArraySlice<UInt8>, allowing allowance: Allowance = []) throws(HostPortError) {
        let parts = try Self.locate(in: bytes, allowing: allowance)
        let host = parts.kind == .ipv6 ? bytes[parts.host].dropFirst().dropLast() : bytes[parts.host]
        self.host = String(decoding: host.map(\.asciiLowercased), as: UTF8.self)
        port = parts.port
        kind = parts.kind
    }

    /// Parses a text, see ``init(_:allowing:)-(ArraySlice<UInt8>,_)``.
    public init(_ text: String, allowing allowance: Allowance = []) throws(HostPortError) {
        try self.init(ArraySlice(text.utf8), allowing: allowance)
    }

    /// Where the host is in `bytes`, brackets included, and the port. For callers that keep the bytes as they are.
    public static func locate(
        in bytes: ArraySlice<UInt8>, allowing allowance: Allowance = []
    ) throws(HostPortError) -> (host: Range<Int>, port: Int?, kind: Kind) {
        // First of all: in `user:secret@host` the text after the colon must not get into a message about the port.
        guard !bytes.contains(UInt8(ascii: "@")) else { throw .userInfo }
        let colon = UInt8(ascii: ":")
        let (end, kind): (Int, Kind)
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")),
                isIPv6(bytes[(bytes.startIndex + 1)..<bracket])
            else { throw .invalidHost }
            (end, kind) = (bracket + 1, .ipv6)
            guard end == bytes.endIndex || bytes[end] == colon else { throw .invalidHost }
        } else {
            end = bytes.firstIndex(of: colon) ?? bytes.endIndex
            guard bytes.count(where: { $0 == colon }) < 2 else { throw .colons }
            guard end > bytes.startIndex else { throw .missingHost }
            kind = isIPv4(bytes[..<end]) ? .ipv4 : .name
            guard kind == .ipv4 || isHostName(bytes[..<end], allowance) else { throw .invalidHost }
        }
        guard end < bytes.endIndex else { return (bytes.startIndex..<end, nil, kind) }
        return (bytes.startIndex..<end, try port(bytes[(end + 1)...], allowance), kind)
    }

    /// The host as it is written in a URL: an IPv6 address in brackets.
    public var urlHost: String { kind == .ipv6 ? "[\(host)]" : host }

    /// Whether the host is this machine, see ``LoopbackHost``.
    public var isLoopback: Bool { LoopbackHost.contains(host) }

    /// Whether the bytes are a host name (RFC 1123 section 2.1) without a dot at the end.
    public static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.count <= 253
            && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.count)
                    && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == hyphen }
                    && label.first != hyphen && Array(label).last != hyphen
            }
    }

    /// Whether the bytes are a host name with a dot in it whose last label is not a number: a domain of the Internet,
    /// unlike `localhost` and `192.0.2.1`.
    public static func isDomain(_ bytes: some Collection<UInt8>) -> Bool {
        isName(bytes) && bytes.contains(UInt8(ascii: ".")) && !endsInNumber(bytes)
    }

    /// Whether the bytes are a host name in the only form that all programs read alike: labels of letters, digits, `-` and `_`,
    /// none of them empty, the last one not a number.
    package static func isPlainName(_ bytes: some Collection<UInt8>) -> Bool {
        !endsInNumber(bytes)
            && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_".utf8.contains($0) }
            }
    }

    /// The 4 or 16 octets of an address in network order; nil for any other text.
    package static func octets(ofAddress text: String) -> [UInt8]? {
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        if inet_pton(AF_INET6, text, &v6) == 1 { return withUnsafeBytes(of: v6) { Array($0) } }
        return nil
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func isHostName(_ bytes: ArraySlice<UInt8>, _ allowance: Allowance) -> Bool {
        if allowance.contains(.looseNames) {
            return bytes.first != UInt8(ascii: ".")
                && bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 >= 0x80 || "-._".utf8.contains($0) }
        }
        let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        return isName(name) && !endsInNumber(name)
    }

    /// WHATWG URL section 3.5 ("ends in a number"): such a host is read as an IPv4 address by browsers.
    private static func endsInNumber(_ bytes: some Collection<UInt8>) -> Bool {
        guard let last = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).last else {
            return false
        }
        if last.allSatisfy(\.isASCIIDigit) { return true }
        let prefix = last.prefix(2).map(\.asciiLowercased)
        return prefix.elementsEqual("0x".utf8) && last.dropFirst(2).allSatisfy { $0.isASCIIHexDigit }
    }

    static func isIPv4(_ bytes: some Collection<UInt8>) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy(\.isASCIIDigit)
                    && (part.count == 1 || part.first != UInt8(ascii: "0"))
                    && part.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
            }
    }

    private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.allSatisfy({ $0.isASCIIHexDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
        else { return false }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1
    }

    private static func port(_ digits: ArraySlice<UInt8>, _ allowance: Allowance) throws(HostPortError) -> Int? {
        if digits.isEmpty, allowance.contains(.emptyPort) { return nil }
        guard (1...5).contains(digits.count), digits.allSatisfy(\.isASCIIDigit),
            let port = Int(String(decoding: digits, as: UTF8.self)), port <= 65535,
            port > 0 || allowance.contains(.portZero)
        else { throw .invalidPort(String(decoding: digits.prefix(20), as: UTF8.self)) }
        return port
    }
}

extension HostPort: CustomStringConvertible {
    /// As in a URL: `example.com`, `192.0.2.1:8080`, `[::1]:8080`.
    public var description: String { urlHost + (port.map { ":\($0)" } ?? "") }
}

/// Why a text is not a host with an optional port.
public enum HostPortError: Error, Sendable, Equatable, CustomStringConvertible {
    case missingHost
    case invalidHost
    /// An IPv6 address without brackets.
    case colons
    /// At most 20 characters of what was found after the colon.
    case invalidPort(String)
    /// An `@`: the text before it may be a password, so nothing of the text is repeated.
    case userInfo

    /// A sentence without its subject: what is wrong.
    public var description: String {
        switch self {
        case .missingHost: "has no host"
        case .invalidHost: "has a host that is neither a name of letters, digits, - and ., nor an IP address"
        case .colons: "has more than one colon; an IPv6 address needs brackets, as in [::1]:8080"
        case .invalidPort(let text): "has the port \"\(text)\"; a port is a number from 1 to 65535"
        case .userInfo: "has a user name in it"
        }
    }
}

/// The hosts that are this machine: the only ones to which plain HTTP is permitted.
public enum LoopbackHost {
    /// True for `localhost`, an address in 127.0.0.0/8 written as four decimal numbers, and `::1` with or without
    /// brackets.
    ///
    /// Only the text decides. `127.0.0.1.example.com` and `localhost.example.com` are other servers.
    public static func contains(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name == "::1" || name == "[::1]" { return true }
        return name.utf8.starts(with: "127.".utf8) && HostPort.isIPv4(name.utf8)
    }
}
