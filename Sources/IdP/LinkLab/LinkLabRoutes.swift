import HTTPTypes
import Hummingbird
import SSOWeb

/// `/admin/links`: type a link, see which app opens it by which rule.
///
/// Owns who may look. Does not decide anything: the page asks the matchers.
struct LinkLabRoutes: Sendable {
    let files: AssociationFiles
    let page: LinkLabPage

    func add(to router: Router<VisitorContext>) {
        router.page(at: "/admin/links") { [files, page] request, context in
            guard request.isFromThisMachine(context.peer) else { throw PublicFailure.notFound }
            let typed = request.uri.queryParameters["url"].map(String.init) ?? ""
            return page.response(typed, files: files)
        }
    }
}
