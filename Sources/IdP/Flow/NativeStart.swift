package import Hummingbird
package import IdPClients
package import SSOShared
package import SSOWeb

/// The start of a sign-in for an app: `/auth/native/NAME`.
package struct NativeStart: Sendable {
    package static let prefix = "/auth/native/"

    /// The last part of the path: `email`, `passkey`, or the id of a provider.
    package let name: String
    /// What the sign-in must reach, with a new proof, whatever the browser is signed in with: the web view needs what it comes for.
    /// Nil where any will do.
    package let strength: Strength?
    /// Takes the browser to the method's first page for a handoff of this session.
    package let begin: @Sendable (FlowID, Session, Request, VisitorContext) async throws -> Response

    package init(
        name: String, reaching strength: Strength? = nil,
        begin: @escaping @Sendable (FlowID, Session, Request, VisitorContext) async throws -> Response
    ) {
        (self.name, self.strength, self.begin) = (name, strength, begin)
    }
}
