import Hummingbird
package import IdPFlow
package import SSOWeb

/// A page of the account that a visitor may open, for example from an email or a bookmark: after the sign-in it is shown.
enum AccountPage: String, CaseIterable {
    case sessions, activity, address, erase, picture

    var path: String { "/\(rawValue)" }

    /// Sends a visitor to sign in, and back to the page. The pages themselves change nothing, so that link checkers do not either.
    var signIn: String { self == .sessions ? Self.signInPath : "\(Self.signInPath)?page=\(rawValue)" }
    static let signInPath = "/sessions/sign-in"

    /// Nil for a request that does not come from a flow of another page than the list of sessions.
    init?(_ request: Request, _ session: Session) {
        let flow = FlowID.read(request.queryFields)
        let flows = session[Flows.self]
        self.init(rawValue: flows.flow(flow)?.subject ?? flows.ended(flow)?.subject ?? "")
    }

    init?(named fields: URLEncodedFields) { self.init(rawValue: ((try? fields.text("page")) ?? nil) ?? "") }
}

/// The purpose of a flow of a visitor who opened an ``AccountPage``: its name is the subject, which is empty for the list of
/// sessions.
package struct SessionsPurpose: OwnPagePurpose {
    package static let id = "sessions"
    package static let path = "/sessions"

    package let sessions: Sessions

    package init(sessions: Sessions) { self.sessions = sessions }

    package let resumePath = SessionsPurpose.path

    package func home(of flow: Flow) -> String { "/" }
}
