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
