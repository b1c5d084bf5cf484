import HTTPTypes
package import Hummingbird
package import IdPClients
package import SSOWeb

extension SessionUser {
    /// The user who is signed in to a session, and the request's device and network; nil for a visitor.
    package init?(of session: Session, _ request: Request, _ context: VisitorContext) {
        guard let signIn = session[CurrentSignIn.self].signIn else { return nil }
        self.init(
            account: signIn.accountID, device: BrowserDevice(request).stored,
            network: context.audit?.network)
    }
}
