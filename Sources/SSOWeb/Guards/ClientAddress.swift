import Foundation
public import Hummingbird
public import NIOCore

/// Who is at the other end, for limits and logs: the peer, or what a trusted proxy says of it.
public struct ClientAddress: Sendable {
    private let trusted: [Network]

    /// - Parameter trusted: the proxies whose `X-Forwarded-For` is believed (`IDP_TRUSTED_PROXIES`).
    public init(trusted: [Network]) { self.trusted = trusted }

    /// Whether no proxy is declared.
    public var trustsNobody: Bool { trusted.isEmpty }

    /// The client's address, or nil when it cannot be told.
    ///
    /// Reads `X-Forwarded-For` from the right and stops at the first address that is no trusted proxy: what stands
    /// left of it the client may have written itself. A value that is no address is not believed either.
    public func address(of request: Request, peer: SocketAddress?) -> IPAddress? {
        guard let peer = peer?.ipAddress.flatMap(IPAddress.init) else { return nil }
        guard isTrusted(peer) else { return peer }
        let hops = request.headers[values: .xForwardedFor].flatMap { $0.split(separator: ",") }
        var nearest = peer
        for hop in hops.reversed() {
            guard let address = IPAddress(hop.trimmingPrefix { $0 == " " }.split(separator: " ").first ?? "") else {
                return peer
            }
            nearest = address
            if !isTrusted(address) { break }
        }
        return nearest
    }

    /// Counts a request against a limit by its client's address.
    ///
    /// Loopback is not counted: it is this machine itself, or a proxy on it that was not declared, behind which
    /// everybody would share one count.
    ///
    /// - Throws: ``PublicFailure`` 429 beyond the limit.
    public func limit(_ limit: RateLimit, _ request: Request, _ peer: SocketAddress?) throws {
        guard let address = address(of: request, peer: peer), !address.isLoopback else { return }
        if let wait = limit.hit(address.limitKey) { throw PublicFailure.tooManyRequests(retryAfter: wait) }
    }

    private func isTrusted(_ address: IPAddress) -> Bool { trusted.contains { $0.contains(address) } }
}

/// An address as its bytes.
public struct IPAddress: Sendable, Hashable {
    /// Four bytes or sixteen. An IPv4 address inside IPv6 (`::ffff:a.b.c.d`) is kept as IPv4.
    let bytes: [UInt8]

    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        if let four = Self.parse(String(text), family: AF_INET, count: 4) {
            bytes = four
        } else if let all = Self.parse(String(text), family: AF_INET6, count: 16) {
            let mapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xff && all[11] == 0xff
            bytes = mapped ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    private static func parse(_ text: String, family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    public var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// What limits count by: an IPv4 address, or the /64 of an IPv6 one, since one customer has that many.
    public var limitKey: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }
}

/// A network in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or one address.
public struct Network: Sendable {
    private let address: IPAddress
    private let prefix: Int

    /// - Throws: ``SettingFault`` for anything that is no network.
    public init(_ text: some StringProtocol) throws {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else {
            throw SettingFault("\"\(text)\" is no network. Give one such as 10.0.0.0/8 or fd00::/8")
        }
        let bits = address.bytes.count * 8
        // Digits alone: Int also takes a sign.
        let digits = parts.count == 2 && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) } ? parts[1] : ""
        guard let prefix = parts.count == 2 ? Int(digits) : bits, (0...bits).contains(prefix) else {
            throw SettingFault("\"\(text)\" has a prefix length outside 0 to \(bits).")
        }
        self.address = address
        self.prefix = prefix
    }

    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let bits = min(8, max(0, prefix - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xff00 >> bits)
            return pair.0 & mask == pair.1 & mask
        }
    }
}
