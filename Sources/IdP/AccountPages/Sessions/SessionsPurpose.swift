package import IdPFlow
package import SSOWeb

/// The purpose of a flow of a visitor who opened the list of sessions, for example from an email: after the sign-in the list is
/// shown.
package struct SessionsPurpose: OwnPagePurpose {
    package static let id = "sessions"
    package static let path = "/sessions"

    package let sessions: Sessions

    package init(sessions: Sessions) { self.sessions = sessions }

    package let resumePath = SessionsPurpose.path

    package func home(of flow: Flow) -> String { "/" }
}
