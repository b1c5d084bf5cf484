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

    package var appPaths: [PathConfiguration.Rule] {
        [
            .paths([SSOPath.authorize, SSOPath.complete], .webView),
            // A relying party's: its session is in the system browser.
            .paths([SSOPath.callback, SSOPath.start], .systemBrowser),
        ]
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        VerifyRoutes(
            signatures: SignatureCheck(clients: parts.clients), grants: parts.grants,
            idleLimit: parts.sessions.store.lifetime.idle, networks: parts.signerNetworks()
        ).addRoutes(to: &router)
    }
}
