package import Hummingbird
package import IdPAccounts
package import IdPClients
package import IdPFlow
package import IdPProviders
package import SSOWeb

/// Native apps: the sign-in through the system browser, the JSON API, and the providers that a user adds in an app.
package struct AppsFeature: Feature {
    /// Takes a browser to a provider, which is to be added for an app.
    package typealias BeginAddition =
        @Sendable (Provider, FlowID, Session, VisitorContext, SignInCompletion) async throws -> Response

    package static let settings: [any ReadableSetting] = [NativeApps.setting]

    private let parts: SharedParts
    private let apps: NativeApps
    private let providers: ProviderRegistry
    private let changes: any AccountChangeReporter
    private let beginAddition: BeginAddition
    private let handoffs: HandoffStore
    private let identities: AppIdentityStore

    package init(
        _ parts: SharedParts, _ values: SettingValues, providers: ProviderRegistry,
        changes: any AccountChangeReporter, identities: AppIdentityStore, beginAddition: @escaping BeginAddition
    ) throws(SettingError) {
        (self.parts, self.providers, self.changes) = (parts, providers, changes)
        (self.identities, self.beginAddition) = (identities, beginAddition)
        apps = try values[NativeApps.setting]
        handoffs = HandoffStore(
            database: parts.database, clock: parts.clock, sessions: parts.sessions.store,
            eligibility: parts.eligibility)
    }

    package var purposes: [any FlowPurpose] { [HandoffPurpose(apps: apps, store: handoffs)] }

    package var purges: [PurgeService.Purge] { [handoffs.purge, identities.purge] }

    package var appPaths: [PathConfiguration.Rule] {
        // A handoff, and whatever else begins below it later: a provider must not be shown in a web view (RFC 8252 8.12).
        [.tree("/auth", .browserSession)]
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        addHandoff(to: &router, completion, methods)
        let authentication = APIAuthentication(tokens: parts.accessTokens, accounts: parts.accounts)
        APIRoutes(
            session: SessionAPI(
                authentication: authentication, sessions: parts.sessions, devices: parts.appDevices,
                clock: parts.clock),
            devices: DevicesAPI(authentication: authentication, devices: parts.appDevices, pages: parts.pages),
            identities: IdentitiesAPI(
                authentication: authentication, providers: providers, apps: apps, appIdentities: identities,
                changes: changes, pages: parts.pages)
        ).addRoutes(to: &router)
    }

    private func addHandoff(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        HandoffRoutes(
            parts, apps: apps, store: handoffs,
            link: AppIdentityStart(
                identities: identities, providers: providers, sessions: parts.sessions,
                begin: { [beginAddition] in try await beginAddition($0, $1, $2, $3, completion) },
                pages: AppIdentityPages(parts)),
            start: { name in methods.lazy.compactMap { $0.nativeStart(name) }.first }
        ).addRoutes(to: &router)
        HandoffSignIn(completion: completion, apps: apps, store: handoffs).addRoutes(to: &router)
    }
}

extension AppIdentityStore {
    package init(_ parts: SharedParts) {
        self.init(
            database: parts.database, clock: parts.clock, tokens: parts.accessTokens, keys: parts.keys,
            randomness: parts.randomness)
    }
}
