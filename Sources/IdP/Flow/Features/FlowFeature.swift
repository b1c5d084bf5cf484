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

    package var slots: [any SessionSlot.Type] { [Flows.self, CurrentSignIn.self, HalfSignIn.self] }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        CancelRoutes(purposes: completion.purposes).addRoutes(to: &router)
        AccountChoice(parts, completion).addRoutes(to: &router)
        router.file(at: ClientLogos.route, use: parts.logos.serve)
    }
}
