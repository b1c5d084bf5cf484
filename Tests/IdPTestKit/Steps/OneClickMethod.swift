import Hummingbird
import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPFlow
@testable import IdPServer

/// A sign-in method of the tests, added as any method is: a link on the sign-in page, which proves `ann@example.com` in
/// one click. It keeps two session slots, one of which survives a sign-in.
struct OneClickFeature: Feature {
    let sessions: Sessions

    var slots: [any SessionSlot.Type] { [OneClickMethod.KeptSlot.self, OneClickMethod.DroppedSlot.self] }

    func methods(_ completion: SignInCompletion) -> [any SignInMethod] {
        [OneClickMethod(sessions: sessions, completion: completion)]
    }
}

/// See ``OneClickFeature``.
struct OneClickMethod: SignInMethod {
    static let added = AddedFeatures { parts, _ in [OneClickFeature(sessions: parts.sessions)] }

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

    func addRoutes(to router: inout FeatureRouter) {
        router.visit(at: Self.visitPath) { _, context in
            guard let session = context.session else { return .redirect(to: "/sign-in") }
            _ = try await sessions.store.update(session) { slots in
                slots[KeptSlot.self].visits += 1
                slots[DroppedSlot.self].visits += 1
                return true
            }
            return .redirect(to: "/sign-in")
        }
        router.visit(at: Self.path) { request, context in
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
