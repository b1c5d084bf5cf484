import HTTPTypes
import Hummingbird
import SSOWeb

/// `/dev/WORD/links`: shows which app opens a link, by which rule. Exists if the public address is a loopback address, or
/// with `IDP_LINK_TESTER=true`.
struct LinkTesterRoutes: Sendable {
    let files: AssociationFiles
    let dev: DevPages
    /// On a loopback address only requests from this machine are answered. Elsewhere requests come through a proxy, and
    /// only the secret word in the path protects the page, which shows nothing but the content of public files.
    let isForThisMachineOnly: Bool
    let page: LinkTesterPage

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
