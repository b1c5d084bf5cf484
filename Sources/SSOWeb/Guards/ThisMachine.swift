import HTTPTypes
public import Hummingbird
public import NIOCore
import SSOShared

extension Request {
    /// Whether whoever sits at this very machine asks, for pages that are nobody else's business.
    ///
    /// The peer alone does not tell: behind a proxy on the same machine everybody is a loopback peer, and a page of another
    /// site may let its own name resolve to 127.0.0.1 (DNS rebinding) and read the answer. So a proxy's headers, or another
    /// name for us, end it as well.
    public func isFromThisMachine(_ peer: SocketAddress?) -> Bool {
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
