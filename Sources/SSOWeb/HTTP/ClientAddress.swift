import HTTPTypes
public import Hummingbird
public import NIOCore
import SSOShared

/// Who is at the other end, for limits and logs: the peer, or what a trusted proxy says of it.
public struct ClientAddress: Sendable {
    private let trusted: [Network]

    /// - Parameter trusted: the proxies whose `X-Forwarded-For` is believed (`IDP_TRUSTED_PROXIES`).
    public init(trusted: [Network]) { self.trusted = trusted }

    /// Whether no proxy is declared.
    public var hasNoTrustedProxies: Bool { trusted.isEmpty }

    /// The client's address, or nil when it cannot be told.
    ///
    /// Reads `X-Forwarded-For` from the right and stops at the first address that is no trusted proxy: what stands
    /// left of it the client may have written itself. A value that is no address is not believed either.
    public func address(of request: Request, peer: SocketAddress?) -> IPAddress? {
        trace(request, peer: peer).client
    }

    /// What a trusted proxy gave as an address and is none.
    func unreadableHop(of request: Request, peer: SocketAddress?) -> String? { trace(request, peer: peer).unreadable }

    private func trace(_ request: Request, peer: SocketAddress?) -> (client: IPAddress?, unreadable: String?) {
        guard let peer = peer?.ipAddress.flatMap(IPAddress.init) else { return (nil, nil) }
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

    /// Counts a request against a limit by its client's network.
    ///
    /// - Throws: ``PublicError`` 429 beyond the limit.
    public func limit(_ limit: NetworkLimit, _ request: Request, _ peer: SocketAddress?) throws {
        if let address = countedAddress(of: request, peer: peer), let wait = limit.hit(address) {
            throw PublicError.tooManyRequests(retryAfter: wait)
        }
    }

    /// Takes one request of this network back that was counted before.
    public func giveBack(_ limit: NetworkLimit, _ request: Request, _ peer: SocketAddress?) {
        if let address = countedAddress(of: request, peer: peer) { limit.giveBack(address) }
    }

    /// The address that limits count, nil where networks cannot be told apart.
    ///
    /// Where no proxy is declared, loopback is not counted: it is this machine itself, or a proxy on it behind which
    /// everybody would share one count. Beside a declared one it is: a client whose address cannot be read is limited
    /// together with all such clients.
    public func countedAddress(of request: Request, peer: SocketAddress?) -> IPAddress? {
        guard let address = address(of: request, peer: peer), !hasNoTrustedProxies || !address.isLoopback else {
            return nil
        }
        return address
    }

    /// An address as proxies write it: bare, or with the port of the connection (`192.0.2.1:4711`, `[2001:db8::1]:4711`).
    private static func hop(_ text: Substring) -> IPAddress? {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = text.drop(while: isBlank)
        while text.last.map(isBlank) == true { text.removeLast() }
        if let address = IPAddress(text) { return address }
        guard let colon = text.lastIndex(of: ":") else { return bracketed(text) }
        let port = text[text.index(after: colon)...]
        if (1...5).contains(port.utf8.count), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            let host = text[..<colon]
            return host.contains(":") ? bracketed(host) : IPAddress(host)
        }
        return bracketed(text)
    }

    private static func bracketed(_ text: Substring) -> IPAddress? {
        guard text.first == "[", text.last == "]" else { return nil }
        return IPAddress(text.dropFirst().dropLast())
    }

    /// Whether the address is one of the declared proxies.
    func isTrusted(_ address: IPAddress) -> Bool { trusted.contains { $0.contains(address) } }
}

extension Request {
    /// Whether whoever sits at this very machine asks, for pages that are nobody else's business.
    ///
    /// The peer alone does not tell: behind a proxy on the same machine everybody is a loopback peer, and a page of another
    /// site may let its own name resolve to 127.0.0.1 (DNS rebinding) and read the answer. So a proxy's headers, or another
    /// name for us, end it as well.
    public func isLocalRequest(_ peer: SocketAddress?) -> Bool {
        guard let peer = peer?.ipAddress.flatMap({ IPAddress($0) }), peer.isLoopback else { return false }
        let proxies = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"]
        guard !proxies.contains(where: { HTTPField.Name($0).map(headers.contains) ?? false }) else { return false }
        guard let authority = head.authority else { return false }
        let host =
            authority.hasPrefix("[")
            ? String(authority.prefix { $0 != "]" }) + "]" : String(authority.prefix { $0 != ":" })
        return LoopbackHost.contains(host)
    }
}
