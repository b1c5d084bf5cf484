package import IdPAccounts
import IdPClients
package import SSOWeb

/// What every sign-in needs, whatever it is for and by whatever method: the flows of a session, and the way back without one.
package struct FlowFeature: Feature {
    let parts: SharedParts

    package init(_ parts: SharedParts) { self.parts = parts }

    package var purges: [PurgeService.Purge] {
        [parts.sessions.store.purge]
    }

    package var slots: [any SessionSlot.Type] {
        [Flows.self, CurrentSignIn.self, HalfSignIn.self, BrowserAbilities.self]
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        CancelRoutes(purposes: completion.purposes).addRoutes(to: &router)
        parts.selfCheck.addRoutes(to: &router)
        router.file(at: ClientLogos.route, use: parts.logos.serve)
    }
}

extension SignInCompletion {
    /// - Parameters:
    ///   - slots: every slot of the program.
    ///   - hasProvider: whether a provider of this id and issuer is still in the providers file.
    ///   - changes: tells users what a sign-in has changed about their account.
    package init(
        _ parts: SharedParts, slots: [any SessionSlot.Type], purposes: FlowPurposes, factors: [any SecondFactor],
        hasProvider: @escaping @Sendable (_ id: String, _ issuer: String) -> Bool, changes: any AccountChangeReporter
    ) {
        (self.slots, self.purposes, self.factors) = (slots, purposes, factors)
        (self.hasProvider, self.changes) = (hasProvider, changes)
        (sessions, accounts, knownBrowsers) = (parts.sessions, parts.accounts, parts.knownBrowsers)
        (tokens, clock, lastMethod) = (parts.accessTokens, parts.clock, LastMethodCookie(origin: parts.origin))
    }
}
