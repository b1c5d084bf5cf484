import IdPAccountPages
import IdPAccounts
import IdPApps
import IdPClients
import IdPDevPages
import IdPFlow
import IdPMail
import IdPProtocols
import IdPProviderSignIn
import IdPProviders
import IdPSignIn
import SSOShared
import SSOWeb

/// What the identity provider consists of: the one list of its features.
struct IdPFeatures: Sendable {
    let parts: SharedParts
    let providers: ProviderRegistry
    let association: AssociationFiles
    /// In this order the sign-in page offers their methods.
    let all: [any Feature]
    let completion: SignInCompletion
    /// Sends the messages of all protocols to clients.
    let signOuts: SignOutSender
    let signingKeys: SigningKeys

    /// - Parameter added: features beside the built-in ones, for tests.
    /// - Throws: if a template is malformed, or libcurl cannot be used.
    init(_ settings: IdPSettings, _ services: IdPServices, shutdown: ShutdownState, adding added: AddedFeatures) throws
    {
        let assets = IdPPages.assets(settings.brand)
        let parts = try SharedParts(
            .init(settings), .init(services, shutdown: shutdown),
            clients: ClientDirectory(
                settings.clients, stored: StoredClients(settings, services), logger: services.logger,
                unknown: UnknownNames(settings.trustedProxies, clock: services.clock),
                interval: services.clientRenewalInterval),
            pages: try services.pages ?? IdPPages.pages(settings.brand, assets: assets, adding: added.files),
            assets: assets)
        let registry = ProviderRegistry(settings.providers, logger: services.logger)
        association = AssociationFiles(
            apple: settings.appleAssociation, android: settings.androidAssociation, logger: services.logger)

        let client = try ProviderClient(clock: parts.clock, logger: parts.logger)
        let notices = AccountNotices(parts, providers: registry)
        let appIdentities = AppIdentityStore(parts)
        let sso = SSOFeature(parts)
        let oidc = OIDCFeature(parts)
        let provider = ProviderFeature(
            parts, providers: registry, client: client, changes: notices,
            hasApps: !settings.nativeApps.all.isEmpty,
            additionOfApp: { signIn in
                AppIdentityAttempts(
                    answers: AppIdentityAnswers(
                        identities: appIdentities, apps: settings.nativeApps, randomness: parts.randomness,
                        pages: AppIdentityPages(parts)), signIn: signIn)
            })
        let email = EmailFeature(parts, providers: registry, inboundMail: settings.inboundMail)
        let features: [any Feature] =
            [
                FlowFeature(parts),
                email,
                InvitationFeature(parts, submitAddress: email.submitAddress),
                provider,
                AppsFeature(
                    parts, apps: settings.nativeApps, providers: registry, changes: notices, identities: appIdentities,
                    beginAddition: { try await provider.start($4).begin($0, .appIdentity($1), $2, $3) }),
                sso,
                oidc,
                AccountPagesFeature(
                    parts, providers: registry, notices: notices,
                    revocation: IdentityRevocation(
                        database: parts.database, clock: parts.clock, providers: registry,
                        refreshTokens: ProviderFeature.refreshTokens(parts), revocation: client, logger: parts.logger),
                    events: IdPEvents.all,
                    beginAddition: { try await provider.start($4).begin($0, .link(accountID: $1), $2, $3) }),
                AssociationRoutes(files: association),
                DevPagesFeature(
                    parts, services.devPages, outbox: settings.showsMailbox ? services.mailer as? OutboxMailer : nil,
                    association: settings.linkTester ? association : nil),
            ] + (settings.webFinger ? [WebFingerFeature(parts, allowed: settings.allowedEmails)] : [])
            + added.features(parts)

        completion = SignInCompletion(
            sessions: parts.sessions, slots: features.flatMap(\.slots),
            purposes: FlowPurposes(
                first: sso.asking,
                features.flatMap(\.purposes) + [ChangePurpose(features.flatMap(\.changes), parts.sessions)],
                flowClients: parts.flowClients),
            factors: features.flatMap(\.factors), accounts: parts.accounts, knownBrowsers: parts.knownBrowsers,
            tokens: parts.accessTokens, hasProvider: { registry.has(id: $0, issuer: $1) }, changes: notices,
            lastMethod: LastMethodCookie(origin: parts.origin), clock: parts.clock)
        signOuts = SignOutSender(
            parts.signOuts.queue, parts.audit.store, protocols: features.flatMap(\.signOuts), clients: parts.clients,
            transport: try HTTPClient.forSignOuts(), logger: parts.logger)
        (self.parts, providers, all, signingKeys) = (parts, registry, features, oidc.keys)
    }

    /// Every route of the program, each declared by its feature.
    var router: FeatureRouter {
        let methods = all.flatMap { $0.methods(completion) }
        var router = FeatureRouter(parts.sessions, auditing: parts.auditing)
        for feature in all {
            feature.addRoutes(to: &router, completion, methods)
            for asking in feature.purposes.compactMap({ $0 as? any ClientProtocol }) {
                asking.addAllRoutes(to: &router)
            }
            for factor in feature.factors { factor.addRoutes(to: &router, completion) }
        }
        for method in methods { method.addRoutes(to: &router) }
        Changes(
            all.flatMap(\.changes), completion, flowLimit: parts.flowLimit, randomness: parts.randomness,
            pages: parts.pages, script: parts.formScript
        ).addRoutes(to: &router)
        NativeRoutes(pages: parts.pages, paths: paths).addRoutes(to: &router)
        return router
    }

    /// How an app opens the paths of all features.
    var paths: PathConfiguration {
        PathConfiguration(all.flatMap(\.appPaths) + [.paths([NativePath.resetApp], .reset)])
    }
}

extension ClientProtocols {
    /// The client protocols of the program: one line for each. The first is that of a client whose entry names none.
    static let builtIn = ClientProtocols([SSOSettings.self, OIDCSettings.self])
}

/// Features beside the built-in ones. Tests use it to prove that a new one works with all others.
struct AddedFeatures: Sendable {
    /// The pages that they bring.
    var files: [PageFiles] = []
    /// The keys of the client protocols that they bring.
    var protocols: [any ClientProtocolSettings.Type] = []
    var features: @Sendable (SharedParts) -> [any Feature] = { _ in [] }

    init(
        files: [PageFiles] = [], protocols: [any ClientProtocolSettings.Type] = [],
        _ features: @escaping @Sendable (SharedParts) -> [any Feature] = { _ in [] }
    ) {
        (self.files, self.protocols, self.features) = (files, protocols, features)
    }
}

extension StoredClients {
    init(_ settings: IdPSettings, _ services: IdPServices) {
        self.init(
            database: services.database, keys: settings.keys, randomness: services.randomness, clock: services.clock)
    }
}

extension SharedParts.Options {
    fileprivate init(_ settings: IdPSettings) {
        self.init(
            origin: settings.publicURL, keys: settings.keys, proxies: settings.trustedProxies, places: settings.places,
            limits: settings.limits, mailHourlyLimit: settings.mailHourlyLimit, allowedEmails: settings.allowedEmails,
            sessionLifetime: settings.sessionLifetime)
    }
}

extension SharedParts.World {
    fileprivate init(_ services: IdPServices, shutdown: ShutdownState) {
        self.init(
            database: services.database, clock: services.clock, randomness: services.randomness,
            logger: services.logger, shutdown: shutdown)
    }
}
