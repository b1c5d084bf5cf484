import Foundation
import NIOCore

/// An IPv4 or IPv6 address.
public struct IPAddress: Sendable, Hashable {
    /// Four or sixteen bytes. An IPv4 address inside IPv6 (`::ffff:a.b.c.d`) is stored as IPv4.
    let bytes: [UInt8]

    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 45 else { return nil }
        let text = String(text)
        guard !text.utf8.contains(0) else { return nil }
        // Every IPv6 address has a colon, and no IPv4 address has one.
        if text.utf8.contains(UInt8(ascii: ":")) {
            var address = in6_addr()
            guard text.withCString({ inet_pton(AF_INET6, $0, &address) }) == 1 else { return nil }
            self.init(address)
        } else {
            var address = in_addr()
            guard text.withCString({ inet_pton(AF_INET, $0, &address) }) == 1 else { return nil }
            self.init(address)
        }
    }

    /// The address of a peer; nil for a Unix domain socket.
    init?(_ peer: SocketAddress) {
        switch peer {
        case .v4(let peer): self.init(peer.address.sin_addr)
        case .v6(let peer): self.init(peer.address.sin6_addr)
        case .unixDomainSocket: return nil
        }
    }

    private init(_ address: in_addr) { bytes = withUnsafeBytes(of: address) { Array($0) } }

    private init(_ address: in6_addr) {
        bytes = withUnsafeBytes(of: address) { all in
            let mapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xff && all[11] == 0xff
            return mapped ? Array(all.suffix(4)) : Array(all)
        }
    }

    /// Represents all clients whose address is unknown, so that they share one count.
    public static let unknown = IPAddress(bytes: [0, 0, 0, 0])

    package init(bytes: [UInt8]) { self.bytes = bytes }

    public var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// The key of limits: an IPv4 address, or the /64 of an IPv6 address, because one customer has a whole /64.
    public var networkKey: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }

    /// The /48 of an IPv6 address, which one site has. nil for IPv4.
    public var siteKey: [UInt8]? { bytes.count == 4 ? nil : Array(bytes.prefix(6)) }
}

extension IPAddress: CustomStringConvertible {
    /// The text form of RFC 5952: `203.0.113.7`, `2001:db8::1`.
    public var description: String {
        guard bytes.count == 16 else { return "\(bytes[0]).\(bytes[1]).\(bytes[2]).\(bytes[3])" }
        return String(unsafeUninitializedCapacity: Int(INET6_ADDRSTRLEN)) { text in
            text.withMemoryRebound(to: CChar.self) { text in
                inet_ntop(AF_INET6, bytes, text.baseAddress, socklen_t(text.count)).map(strlen) ?? 0
            }
        }
    }
}

/// A network in CIDR notation (`10.0.0.0/8`, `fd00::/8`), or one address.
public struct Network: Sendable {
    private let address: IPAddress
    private let prefix: Int

    /// - Throws: ``SettingError`` when the text is not a CIDR network.
    public init(_ text: some StringProtocol) throws {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else {
            throw SettingError("\"\(text)\" is not a CIDR network. Use, for example, 10.0.0.0/8 or fd00::/8.")
        }
        let bits = address.bytes.count * 8
        // Digits only: Int also accepts a sign.
        let digits = parts.count == 2 && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) } ? parts[1] : ""
        guard let prefix = parts.count == 2 ? Int(digits) : bits, (0...bits).contains(prefix) else {
            throw SettingError(
                "\"\(text)\" has a prefix length outside 0 to \(bits). Use, for example, 10.0.0.0/8 or fd00::/8.")
        }
        self.address = address
        self.prefix = prefix
    }

    /// Whether the network is larger than any private one: 10.0.0.0/8 and fc00::/7 are the largest (RFC 1918, RFC
    /// 4193).
    public var exceedsPrivateRange: Bool { prefix < (address.bytes.count == 4 ? 8 : 7) }

    /// Never true for an address of the other version.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let bits = min(8, max(0, prefix - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xff00 >> bits)
            return pair.0 & mask == pair.1 & mask
        }
    }
}

extension IPAddress {
    /// `0.0.0.0` or `::`: every address of the machine.
    package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// An address that the Internet does not route to: RFC 1918, RFC 6598 (100.64.0.0/10), RFC 4193 (fc00::/7), and link-local ones.
    package var isPrivate: Bool { Self.privateNetworks.contains { $0.contains(self) } }

    private static let privateNetworks = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "fc00::/7", "fe80::/10",
    ].compactMap { try? Network($0) }
}

extension SocketAddress {
    /// `127.0.0.1:8080` or `[::1]:8080`.
    var listenText: String {
        guard let host = ipAddress, let port else { return "\(self)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
