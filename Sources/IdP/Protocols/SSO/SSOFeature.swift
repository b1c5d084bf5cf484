package import IdPAccounts
package import IdPFlow
import SSOShared
package import SSOWeb

/// Sign-in for clients by `/auth/sso`, and the back channel where they redeem their tokens.
package struct SSOFeature: Feature {
    let parts: SharedParts
    package let asking: SSOProtocol

    package init(_ parts: SharedParts) {
        self.parts = parts
        asking = SSOProtocol(authorizer: parts.authorizer, page: parts.completionPage)
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
        let verify = VerifyRoutes(grants: parts.grants, lifetime: parts.sessions.store.lifetime)
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
