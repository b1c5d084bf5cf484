import IdPClients
package import IdPFlow
package import SSOWeb

/// What the requests of all clients share, whatever their protocol: the choice of an account, and what becomes of their grants.
package struct AuthorizationFeature: Feature {
    private let parts: SharedParts

    package init(_ parts: SharedParts) { self.parts = parts }

    package var purges: [PurgeService.Purge] { [GrantPurge(database: parts.database, clock: parts.clock).purge] }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        AccountChoice(parts, completion).addRoutes(to: &router)
    }
}

/// What client protocols let users in with, made once.
package struct Authorization: Sendable {
    package let grants: GrantStore
    package let authorizer: Authorizer
    package let completionPage: CompletionPage

    /// - Throws: if a template is malformed.
    package init(_ parts: SharedParts, _ values: SettingValues) throws {
        grants = GrantStore(
            database: parts.database, clock: parts.clock, eligibility: parts.eligibility, clients: parts.clients,
            least: try values[FlowSettings.require])
        authorizer = Authorizer(
            clients: parts.clients, sessions: parts.sessions, accounts: parts.accounts, grants: grants,
            noAccess: NoAccessPage(pages: parts.pages, sessions: parts.sessions, logos: parts.logos),
            otherAccount: OtherAccountPage(pages: parts.pages, logos: parts.logos),
            limit: parts.flowLimit, flowClients: parts.flowClients, randomness: parts.randomness)
        completionPage = try CompletionPage(pages: parts.pages, logos: parts.logos)
    }
}

extension AccountChoice {
    fileprivate init(_ parts: SharedParts, _ completion: SignInCompletion) {
        (slots, purposes) = (completion.slots, completion.purposes)
        (sessions, accounts, accessTokens) = (parts.sessions, parts.accounts, parts.accessTokens)
        (clients, logos, clock) = (parts.clients, parts.logos, parts.clock)
        pages = parts.pages
    }
}
