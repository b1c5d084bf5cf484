import HTTPTypes
import Hummingbird
import SSOWeb
import WellKnown

/// Serves the two association files of universal links and app links.
///
/// Phones require status 200, no redirect and the right type. Otherwise links open the browser, without any message.
struct AssociationRoutes: Sendable {
    /// What an app may open: the start of a sign-in and the links in emails. Never a relying party's callback, never
    /// `/auth/sso/verify`: a universal link that swallows the callback would finish the sign-in inside the app's web view,
    /// where the browser's session is not.
    static let claimedPaths = ["/auth/sso/authorize", "/sign-in/link/*"]

    let files: AssociationFiles

    /// Adds GET and HEAD for both files; 404 for a file that is not configured, 405 for other methods.
    func add<Context: RequestContext>(to router: some RouterMethods<Context>) {
        for kind in AssociationKind.allCases {
            router.only([.get, .head], at: RouterPath(kind.path)) { [files] request, _ in
                // Not an empty list: Apple's CDN would keep "no app" for a day.
                guard let file = files[kind] else { throw HTTPError(.notFound) }
                return file.response(to: request)
            }
        }
    }
}
