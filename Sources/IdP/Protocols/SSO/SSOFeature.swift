package import IdPAuthorization
package import IdPFlow
package import IdPSignOut
import SSOShared
package import SSOWeb

/// Sign-in for clients by `/auth/sso`, and the back channel where they redeem their tokens.
package struct SSOFeature: Feature {
    let parts: SharedParts
    private let grants: GrantStore
    package let asking: SSOProtocol

    package init(_ parts: SharedParts, _ authorization: Authorization) {
        (self.parts, grants) = (parts, authorization.grants)
        asking = SSOProtocol(authorizer: authorization.authorizer, page: authorization.completionPage)
    }

    package var purposes: [any FlowPurpose] { [asking] }

    package var signOuts: [any SignOutProtocol] { [SSOSignOut()] }

    package var appPaths: [PathConfiguration.Rule] {
        [
            .paths([SSOPath.authorize, SSOPath.complete, SSOPath.signOut], .webView),
            // A relying party's: its session is in the system browser.
            .paths([SSOPath.callback, SSOPath.start], .systemBrowser),
        ]
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        let (signatures, networks) = (SignatureCheck(clients: parts.clients), parts.signerNetworks())
        let verify = VerifyRoutes(grants: grants, lifetime: parts.sessions.store.lifetime)
        let session = SessionRoutes(
            questions: SessionQuestions(
                sessions: parts.sessions, accounts: parts.accounts, clients: parts.clients))
        let ping = PingRoutes(clients: parts.clients, clock: parts.clock)
        router.signedPost(verify.post.checked(by: signatures, from: networks), at: SSOPath.verify)
        router.signedPost(session.post.checked(by: signatures, from: networks), at: SSOPath.session)
        router.signedPost(ping.post.checked(by: signatures, from: networks), at: SSOPath.ping)
        ClientSignOutRoutes(
            accounts: parts.accounts, sessions: parts.sessions, devices: parts.appDevices, clients: parts.clients,
            logos: parts.logos, pages: parts.pages
        ).addRoutes(to: &router)
    }
}
