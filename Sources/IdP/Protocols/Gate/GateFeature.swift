package import IdPAuthorization
import IdPClients
package import IdPFlow
import IdPSignOut
package import IdPSigningKeys
import SSOShared
package import SSOWeb
import Storage

/// The gate: sign-in for services without a login of their own, whose proxies ask about every request, and keys for their apps.
package struct GateFeature: Feature {
    private let parts: SharedParts
    private let authorization: Authorization
    private let gate: GateParts
    private let decision: GateDecision
    private let tokens: GateTokens

    /// - Parameter keys: sign what services are told.
    package init(
        _ parts: SharedParts, _ authorization: Authorization, _ values: SettingValues, keys: SigningKeys
    ) throws(SettingError) {
        (self.parts, self.authorization) = (parts, authorization)
        gate = GateParts(parts, authorization.grants, addresses: try values[FlowSettings.trustedProxies])
        decision = GateDecision(
            grants: authorization.grants, sessions: gate.store, eligibility: parts.eligibility, keys: keys)
        tokens = GateTokens(issuer: parts.origin.text, keys: keys)
    }

    package var purposes: [any FlowPurpose] {
        [
            GateProtocol(authorizer: authorization.authorizer, page: authorization.completionPage),
            AppKeysPurpose(sessions: parts.sessions),
        ]
    }

    package var changes: [any WaitingChange] {
        [
            AppKeyAddition(
                parts: gate, shown: AppKeyShownPage(pages: parts.pages), list: AppKeyRoutes(parts: parts)),
            AppKeyRemoval(clock: parts.clock),
        ]
    }

    package var purges: [PurgeService.Purge] {
        [
            { [database = parts.database, clock = parts.clock] in
                let now = clock.now()
                let sessions = try await GateSessionStore.purge(database, at: now, limit: $0)
                return try await sessions + AppKeyStore.purge(database, at: now, limit: $0)
            }
        ]
    }

    package var appPaths: [PathConfiguration.Rule] {
        [.paths([GatePath.authorize, GatePath.complete], .webView)]
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        router.answersOtherHosts(below: GatePath.prefix)
        router.takesLongTargets(at: GatePath.authorize)
        GateCheck(parts: gate, decision: decision, tokens: tokens).addRoutes(to: &router)
        AppKeyRoutes(parts: parts).addRoutes(to: &router)
        GateSignIn(parts: gate, origin: parts.origin.text).addRoutes(to: &router)
    }
}
