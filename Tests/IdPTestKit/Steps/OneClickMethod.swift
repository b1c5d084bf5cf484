import Hummingbird
import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPDirectory
@testable import IdPFlow

/// A sign-in method of the tests, added as any method is: a link on the sign-in page, which proves `ann@example.com` in
/// one click. It keeps two session slots, one of which survives a sign-in.
struct OneClickMethod: SignInMethod {
    static let additions = SignInAdditions(
        slots: [KeptSlot.self, DroppedSlot.self], methods: { [OneClickMethod(sessions: $0, completion: $1)] })

    static let path = "/sign-in/one-click"
    /// Fills both slots and signs nobody in.
    static let visitPath = "/sign-in/one-click/visit"
    static let address = "ann@example.com"

    struct KeptSlot: SessionSlot {
        static let key = "one_click_kept"
        static let survivesSignIn = true
        var visits = 0
    }

    struct DroppedSlot: SessionSlot {
        static let key = "one_click_dropped"
        static let survivesSignIn = false
        var visits = 0
    }

    let id = "one_click"
    let sessions: Sessions
    let completion: SignInCompletion

    func addRoutes(to router: Router<VisitorContext>) {
        router.only([.get], at: RouterPath(Self.visitPath)) { _, context in
            guard let session = context.session else { return .redirect(to: "/sign-in") }
            _ = try await sessions.store.update(session) { slots in
                slots[KeptSlot.self].visits += 1
                slots[DroppedSlot.self].visits += 1
                return true
            }
            return .redirect(to: "/sign-in")
        }
        router.only([.get], at: RouterPath(Self.path)) { request, context in
            guard let session = context.session else { return .redirect(to: "/sign-in") }
            return try await completion.finish(
                ProvenSignIn(
                    .email(try EmailAddress(Self.address)), method: id, flow: FlowID.read(request.queryFields),
                    consuming: { _ in true }), session, request, context) ?? .redirect(to: "/sign-in")
        }
    }

    func options(for attempt: SignInAttempt) -> [SignInOption] {
        [
            .link(
                label: Text("error.flow-over.again", ["client": attempt.clientName ?? "the IdP"]), path: Self.path)
        ]
    }
}
