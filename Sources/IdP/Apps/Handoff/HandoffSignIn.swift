import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// `/hotwire_native/sign_in`: the web view of an app presents the code of a handoff and its verifier, and is signed in.
///
/// A GET signs in, because a web view opens an address. What a link can do, others can send: therefore the app alone must
/// open it, a browser is refused, and so is every request that another site caused (login CSRF). A POST takes the same as
/// a form, which keeps the code out of the log of a proxy.
package struct HandoffSignIn: Sendable {
    package static let path = "/hotwire_native/sign_in"

    let completion: SignInCompletion
    /// Several times a code and a verifier.
    private static let maximumFormBytes = 4 * 1024

    let apps: NativeApps
    let store: HandoffStore

    private var sessions: Sessions { completion.sessions }

    /// A GET consumes the code. A POST comes from the web view on behalf of its app.
    func addRoutes(to router: inout FeatureRouter) {
        router.visit(
            [.get, .post], at: Self.path, hasToken: true,
            refusing: { _, context in
                context.record(HandoffRequestError(cause: .notAPage).event(in: context.session))
                return FlowError.notAPage
            }, use: signIn)
    }

    @Sendable private func signIn(_ request: Request, _ context: VisitorContext) async throws -> Response {
        // Before anything is consumed.
        if let cause = refusal(of: request) {
            context.record(HandoffRequestError(cause: cause).event(in: context.session))
            throw FlowError.notAPage
        }
        let fields =
            request.method == .post ? try await request.formFields(atMost: Self.maximumFormBytes) : request.queryFields
        let text = { (name: String) in (try? fields.text(name)) ?? nil }
        let presented = try await PresentedCode(text("code"), text("verifier"), isKnown: store.isKnown) {
            rejected($0 == .malformed ? .malformed : .unknown, context)
        }
        switch try await redeem(presented, DeviceKind(userAgent: request.headers[.userAgent]), context) {
        case .adopted(let session):
            var response = Response.redirect(to: NativePath.resetApp)
            sessions.remember(session, in: &response)
            return response
        case .refused(let rejection): throw rejected(rejection, context)
        case .lost: throw PublicError.unavailable("handoff_without_session")
        }
    }

    /// Consumes the code and moves the web view to the session of its user, in one transaction. A code that is refused stays
    /// consumed, and the session as it was.
    private func redeem(
        _ presented: PresentedCode, _ device: DeviceKind, _ context: VisitorContext
    ) async throws -> SignInCompletion.Adoption<HandoffStore.CodeError> {
        try await completion.adopt(context.session, by: device.rawValue, context.audit) { connection in
            switch try store.consume(presented.code, verifier: presented.verifier, of: apps, connection) {
            case .accepted(let redeemed):
                .success((redeemed.signIn, Event(.handoffSignedIn, ["handoff": "\(redeemed.handoff.id.text)"])))
            case .rejected(let rejection): .failure(rejection)
            }
        }
    }

    /// Why a request is refused whatever its code is; nil if it is not.
    private func refusal(of request: Request) -> HandoffRequestError.Cause? {
        // A web view that posts on behalf of its app sends `Origin: null`, and so does a sandboxed page of another site: the
        // header above tells them apart.
        let isOfApp =
            request.headers[values: .secFetchSite] == ["none"]
            && request.headers[values: .origin].allSatisfy { $0 == "null" }
        guard isOfApp || sessions.forms.isSameOrigin(request) else { return .crossSite }
        // A link in a message opens in a browser, and only the app decides what its web view sends. So a link cannot sign a
        // user in to the account of another one. A program that speaks HTTP itself is not a browser, and no link reaches it.
        let isProgram =
            request.headers[values: .secFetchSite].isEmpty
            && !request.headers[values: .userAgent].contains { $0.hasPrefix("Mozilla/") }
        return isProgram || request.isFromNativeShell ? nil : .notAnApp
    }

    /// Says why.
    ///
    /// - Returns: the page of the answer.
    private func rejected(_ rejection: HandoffStore.CodeError, _ context: VisitorContext) -> PublicError {
        context.record(
            Event(.handoffCodeRejected, by: .visitor, session: context.session?.handle, cause: rejection.rawValue))
        return HandoffError.codeRejected
    }
}
