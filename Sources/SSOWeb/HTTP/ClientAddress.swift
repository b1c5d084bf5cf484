import HTTPTypes
public import Hummingbird
public import NIOCore
import SSOShared

/// The client's address for limits and logs: the peer of the connection, or the address that a trusted proxy reports.
public struct ClientAddress: Sendable {
    private let trusted: [Network]

    /// - Parameter trusted: the proxies whose `X-Forwarded-For` is used (`IDP_TRUSTED_PROXIES`).
    public init(trusted: [Network]) { self.trusted = trusted }

    /// Whether no proxy is declared.
    public var hasNoTrustedProxies: Bool { trusted.isEmpty }

    /// Whether the other end of the connection is one of the declared proxies.
    package func isTrusted(peer: SocketAddress?) -> Bool { peer.flatMap { IPAddress($0) }.map(isTrusted) ?? false }

    /// Whether the address is one of the declared proxies.
    func isTrusted(_ address: IPAddress) -> Bool { trusted.contains { $0.contains(address) } }

    /// The client's address, or nil when it is unknown.
    ///
    /// Reads `X-Forwarded-For` from the right and stops at the first address that is not a trusted proxy: the client
    /// can write everything to the left of it. A malformed address also ends the search.
    public func address(of request: Request, peer: SocketAddress?) -> IPAddress? {
        trace(request, peer: peer).client
    }

    /// The client's address, and the malformed one that a trusted proxy reported, if any.
    func trace(_ request: Request, peer: SocketAddress?) -> (client: IPAddress?, malformed: String?) {
        guard let peer = peer.flatMap({ IPAddress($0) }) else { return (nil, nil) }
        guard isTrusted(peer) else { return (peer, nil) }
        let hops = request.headers[values: .xForwardedFor].flatMap { $0.split(separator: ",") }
        var nearest = peer
        for hop in hops.reversed() {
            guard let address = Self.hop(hop) else { return (peer, String(hop)) }
            nearest = address
            if !isTrusted(address) { break }
        }
        return (nearest, nil)
    }

    /// An address as proxies write it: bare, or with the port of the connection (`192.0.2.1:4711`,
    /// `[2001:db8::1]:4711`).
    private static func hop(_ text: Substring) -> IPAddress? {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = text.drop(while: isBlank)
        while text.last.map(isBlank) == true { text.removeLast() }
        if let address = IPAddress(text) { return address }
        return (try? HostPort(String(text), allowing: .portZero)).flatMap { IPAddress($0.host) }
    }

    /// Counts a request against a limit by the network of its client.
    ///
    /// - Throws: ``PublicError`` 429 over the limit.
    public func limit(_ limit: NetworkLimit, _ request: Request, _ peer: SocketAddress?) throws {
        if let address = countedAddress(of: request, peer: peer), let wait = limit.hit(address) {
            throw PublicError.tooManyRequests(retryAfter: wait)
        }
    }

    /// Removes one earlier request of this network from the count.
    public func giveBack(_ limit: NetworkLimit, _ request: Request, _ peer: SocketAddress?) {
        if let address = countedAddress(of: request, peer: peer) { limit.giveBack(address) }
    }

    /// The address that limits count by, or nil when clients cannot be told apart.
    ///
    /// Without a declared proxy a loopback address is not counted: it may be an undeclared proxy on this machine, and
    /// then all clients would share one count. With a declared proxy it is counted: all clients whose address is
    /// malformed share one limit.
    public func countedAddress(of request: Request, peer: SocketAddress?) -> IPAddress? {
        guard let address = address(of: request, peer: peer), !hasNoTrustedProxies || !address.isLoopback else {
            return nil
        }
        return address
    }
}

extension Request {
    /// Whether the request comes from a browser on this machine, for pages that only the developer may see.
    ///
    /// The peer alone does not prove it. Behind a proxy on this machine every client is a loopback peer, so the headers
    /// of a proxy make this false. Another site can let its own name resolve to 127.0.0.1 and read the response (DNS
    /// rebinding), so a Host other than a loopback name makes it false, too.
    public func isLocalRequest(_ peer: SocketAddress?) -> Bool {
        guard let peer = peer.flatMap({ IPAddress($0) }), peer.isLoopback else { return false }
        let proxies = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"]
        guard !proxies.contains(where: { HTTPField.Name($0).map(headers.contains) ?? false }) else { return false }
        return head.authority.flatMap { try? HostPort($0) }?.isLoopback ?? false
    }
}
