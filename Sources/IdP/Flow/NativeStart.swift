package import Hummingbird
package import IdPClients
package import SSOWeb

/// The start of a sign-in for an app: `/auth/native/NAME`.
package struct NativeStart: Sendable {
    package static let prefix = "/auth/native/"

    /// The last part of the path: `email`, or the id of a provider.
    package let name: String
    /// Takes the browser to the method's first page for a handoff of this session.
    package let begin: @Sendable (FlowID, Session, Request, VisitorContext) async throws -> Response

    package init(
        name: String, begin: @escaping @Sendable (FlowID, Session, Request, VisitorContext) async throws -> Response
    ) {
        (self.name, self.begin) = (name, begin)
    }
}
