import HTTPTypes
import Hummingbird
import SSOShared
import SSOWeb

/// `/admin/links`: type a link, see which app opens it by which rule.
///
/// Owns who may look. Does not decide anything: the page asks the matchers.
struct LinkLabRoutes: Sendable {
    let files: AssociationFiles
    let page: LinkLabPage

    func add(to router: Router<VisitorContext>) {
        router.page(at: "/admin/links") { [files, page] request, context in
            guard Self.isThisMachine(request, context) else { throw PublicFailure.notFound }
            let typed = request.uri.queryParameters["url"].map(String.init) ?? ""
            return page.response(typed, files: files)
        }
    }

    /// The page is for whoever sits at this machine. The peer alone does not tell: behind a proxy on the same machine
    /// everybody is a loopback peer, and a page of another site may let its own name resolve to 127.0.0.1 (DNS
    /// rebinding) and read the answer. So a proxy's headers, or another name for us, end it as well.
    private static func isThisMachine(_ request: Request, _ context: VisitorContext) -> Bool {
        guard let peer = context.peer?.ipAddress.flatMap({ IPAddress($0) }), peer.isLoopback else { return false }
        let proxies = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"]
        guard !proxies.contains(where: { HTTPField.Name($0).map(request.headers.contains) ?? false }) else {
            return false
        }
        guard let authority = request.head.authority else { return false }
        let host =
            authority.hasPrefix("[")
            ? String(authority.prefix { $0 != "]" }) + "]" : String(authority.prefix { $0 != ":" })
        return LoopbackHost.contains(host)
    }
}
