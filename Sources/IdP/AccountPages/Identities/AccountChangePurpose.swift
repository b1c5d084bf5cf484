import Foundation
package import Hummingbird
import IdPAccounts
package import IdPClients
package import IdPFlow
import SSOShared
package import SSOWeb

/// The purpose of a flow that a user began on the home page: a change to the account that waits until the user has signed in
/// again, and until the user then presses the button of a page. It does nothing by itself.
package struct AccountChangePurpose: FlowPurpose {
    package static let id = "account_change"
    /// Asks whether to carry out a change.
    static let path = "/identities/confirm"

    let sessions: Sessions

    package init(sessions: Sessions) { self.sessions = sessions }

    package let resumePath = AccountChangePurpose.path

    /// No client or app asks.
    package func name(of subject: String) -> String? { nil }

    package func texts(of flow: Flow, again email: String?) -> FlowTexts {
        guard let email else { return FlowTexts() }
        return FlowTexts(
            again: Text("identities.sign-in-again", ["email": email]),
            cancel: .init(label: Text("identities.cancel"), href: "/"))
    }

    package func cancel(
        _ flow: Flow, _ session: Session, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        _ = try await sessions.store.update(session) { $0[Flows.self].end(flow.id) }
        return .redirect(to: "/")
    }

    package func over(_ flow: EndedFlow) -> PublicError { IdentityError.ended }
}

/// A change that waits.
struct WaitingChange: Sendable {
    enum Action: Codable, Sendable, Equatable {
        /// The id of a provider.
        case link(provider: String)
        /// The name of an identity in forms.
        case unlink(identity: String)
    }

    let accountID: String
    let action: Action

    init(_ action: Action, accountID: String) { (self.action, self.accountID) = (action, accountID) }

    /// Nil for a flow of another purpose.
    private init?(_ flow: Flow) {
        guard flow.purpose == AccountChangePurpose.id,
            let action = try? JSONDecoder().decode(Action.self, from: Data(flow.payload.utf8))
        else { return nil }
        (self.action, accountID) = (action, flow.subject)
    }

    func flow(now: Timestamp) throws -> Flow.Request {
        Flow.Request(
            purpose: AccountChangePurpose.id, subject: accountID,
            demand: Flow.Demand(since: now - CurrentSignIn.longestForChanges),
            payload: String(decoding: try JSONEncoder().encode(action), as: UTF8.self))
    }

    /// The change of a pending flow. One from the future was begun while the clock was wrong.
    static func pending(_ flow: FlowID, in flows: Flows, now: Timestamp) -> WaitingChange? {
        flows.pending(flow, now: now).flatMap { $0.begunAt <= now + ClockSkew.tolerated ? WaitingChange($0) : nil }
    }

    /// Ends a change. Of any number of callers exactly one gets it.
    static func take(_ flow: FlowID, from flows: inout Flows, now: Timestamp) -> WaitingChange? {
        guard let change = pending(flow, in: flows, now: now) else { return nil }
        return flows.take(flow, now: now) == nil ? nil : change
    }
}
