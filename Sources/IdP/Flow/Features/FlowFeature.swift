import IdPAccounts
import IdPClients
package import SSOWeb

/// What every sign-in needs, whatever it is for and by whatever method: the flows of a session, the choice of an account, and
/// the way back without one.
package struct FlowFeature: Feature {
    let parts: SharedParts

    package init(_ parts: SharedParts) { self.parts = parts }

    package var purges: [PurgeService.Purge] {
        [parts.sessions.store.purge, GrantPurge(database: parts.database, clock: parts.clock).purge]
    }

    package var slots: [any SessionSlot.Type] {
        [Flows.self, CurrentSignIn.self, HalfSignIn.self, BrowserAbilities.self]
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        CancelRoutes(purposes: completion.purposes).addRoutes(to: &router)
        AccountChoice(parts, completion).addRoutes(to: &router)
        router.file(at: ClientLogos.route, use: parts.logos.serve)
    }
}

extension AccountChoice {
    fileprivate init(_ parts: SharedParts, _ completion: SignInCompletion) {
        (slots, purposes) = (completion.slots, completion.purposes)
        (sessions, accounts, accessTokens) = (parts.sessions, parts.accounts, parts.accessTokens)
        (clients, logos, clock) = (parts.clients, parts.logos, parts.clock)
        (pages, script) = (parts.pages, parts.formScript)
    }
}
