import HTTPTypes
import Hummingbird
import SSOWeb

/// `/dev/WORD/links`: type a link, see which app opens it by which rule. Exists on a loopback public address, elsewhere
/// with `IDP_LINK_TESTER=true`.
///
/// Owns who may look. Does not decide anything: the page asks the matchers.
struct LinkLabRoutes: Sendable {
    let files: AssociationFiles
    let dev: DevPages
    /// On a loopback address only this machine looks; elsewhere the request comes through a proxy, and the word alone
    /// guards the page. It shows nothing but what the association files say in public.
    let isForThisMachineOnly: Bool
    let page: LinkLabPage

    func add(to router: Router<VisitorContext>) {
        router.page(at: RouterPath(DevPages.route(of: .links))) { [self] request, context in
            guard dev.isNamed(by: context.parameters.get("word")),
                !isForThisMachineOnly || request.isLocalRequest(context.peer)
            else { throw PublicError.notFound }
            let typed = request.uri.queryParameters["url"].map(String.init) ?? ""
            return page.response(typed, files: files)
        }
    }
}
