package import Hummingbird
package import IdPAccounts
package import IdPClients
package import IdPFlow
package import IdPProviders
package import SSOShared
package import SSOWeb

/// Sign-in with an account elsewhere, the providers that users add to their account, and what Apple reports about its users.
package struct ProviderFeature: Feature {
    private let parts: SharedParts
    private let providers: ProviderRegistry
    private let client: ProviderClient
    private let changes: any AccountChangeReporter
    private let hasApps: Bool
    /// What becomes of an attempt that adds a provider for an app.
    private let additionOfApp: @Sendable (ProviderSignIn) -> any AttemptPurpose
    private let attempts: ProviderAttemptStore

    /// - Parameters:
    ///   - hasApps: whether an app can come back from the system browser.
    ///   - additionOfApp: what becomes of an attempt that adds a provider for an app.
    package init(
        _ parts: SharedParts, providers: ProviderRegistry, client: ProviderClient, changes: any AccountChangeReporter,
        hasApps: Bool, additionOfApp: @escaping @Sendable (ProviderSignIn) -> any AttemptPurpose
    ) {
        (self.parts, self.providers, self.client, self.changes) = (parts, providers, client, changes)
        (self.hasApps, self.additionOfApp) = (hasApps, additionOfApp)
        attempts = ProviderAttemptStore(database: parts.database, clock: parts.clock)
    }

    package var slots: [any SessionSlot.Type] { [PendingProviderAttempts.self, PendingIdentity.self] }

    package var purges: [PurgeService.Purge] { [attempts.purge] }

    /// Opens and seals the refresh tokens of identities.
    package static func refreshTokens(_ parts: SharedParts) -> SealedBox {
        refreshTokens(parts.keys, parts.randomness)
    }

    package static func refreshTokens(_ keys: DerivedKeys, _ randomness: any Randomness) -> SealedBox {
        SealedBox(keys: keys, label: "provider-refresh-token", randomness: randomness)
    }

    package func start(_ completion: SignInCompletion) -> ProviderStart {
        ProviderStart(
            providers: providers, client: client, attempts: attempts, keys: keys, origin: parts.origin,
            sessions: parts.sessions, completion: completion, randomness: parts.randomness, pages: pages,
            flowLimit: parts.flowLimit)
    }

    /// Takes the browser to a provider that is to be added to the account of this id.
    @Sendable package func beginLink(
        _ provider: Provider, to accountID: String, _ session: Session, _ context: VisitorContext,
        _ completion: SignInCompletion
    ) async throws -> Response {
        try await start(completion).begin(provider, .link(accountID: accountID), session, context)
    }

    package func methods(_ completion: SignInCompletion) -> [any SignInMethod] {
        [
            ProviderMethod(
                providers: providers, start: start(completion), callback: callback(completion),
                knownAddress: KnownAddressRoutes(
                    providers: providers, sessions: parts.sessions, completion: completion, clock: parts.clock,
                    pages: pages), hasApps: hasApps)
        ]
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        router.file(at: ProviderLogos.route, use: ProviderLogos(providers: providers).serve)
        AppleNotificationRoutes(
            providers: providers, client: client, changes: AppleChanges(accounts: parts.accounts, changes: changes),
            networks: parts.signerNetworks()
        ).addRoutes(to: &router)
    }

    private var keys: ProviderAttemptKeys { ProviderAttemptKeys(keys: parts.keys) }

    private var pages: ProviderPages {
        ProviderPages(pages: parts.pages)
    }

    private func callback(_ completion: SignInCompletion) -> ProviderCallback {
        let signIn = ProviderSignIn(
            accounts: parts.accounts, sessions: parts.sessions, completion: completion,
            refreshTokens: Self.refreshTokens(parts), newcomers: parts.limits.newcomers, clock: parts.clock,
            hasMail: parts.hasMail)
        return ProviderCallback(
            providers: providers, client: client, attempts: attempts,
            parked: ParkedAnswers(store: attempts, keys: parts.keys, randomness: parts.randomness), keys: keys,
            origin: parts.origin, sessions: parts.sessions, completion: completion, limits: parts.limits,
            purposes: AttemptPurposes(
                signIn: signIn,
                [
                    ProviderAddition(
                        accounts: parts.accounts, sessions: parts.sessions, signIn: signIn, providers: providers,
                        changes: changes), additionOfApp(signIn),
                ]))
    }
}
