import IdPAccountPages
import IdPApps
import IdPDirectory
import IdPFlow
import IdPMail
import IdPProviders
import SSOShared
import SSOWeb

/// What the features of the IdP share: stores, limits, sessions and pages, made once from the settings.
struct IdPComponents: Sendable {
    let settings: IdPSettings
    let services: IdPServices
    let shutdown: ShutdownState
    let providers: ProviderRegistry
    let clients: ClientDirectory

    let assets: StaticAssets
    let logos: ClientLogos
    let pages: Pages
    /// The script of pages with forms.
    let script: String

    let eligibility: SignInEligibility
    let accounts: AccountStore
    let knownBrowsers: KnownBrowsers
    let limits: SignInLimits
    let sessions: Sessions
    let grants: GrantStore
    let authorizer: Authorizer
    let completionPage: CompletionPage
    let accessTokens: AccessTokenStore
    let appDevices: AppDevices
    let handoffs: HandoffStore
    let appIdentities: AppIdentityStore
    let mail: MailQueue
    let providerClient: ProviderClient
    let changes: AccountNotices
    let delay = MailDelay()

    /// - Throws: if a template is malformed, or libcurl cannot be used.
    init(settings: IdPSettings, services: IdPServices, shutdown: ShutdownState) throws {
        (self.settings, self.services, self.shutdown) = (settings, services, shutdown)
        let (database, clock, randomness) = (services.database, services.clock, services.randomness)
        providers = ProviderRegistry(settings.providers, logger: services.logger)
        clients = ClientDirectory(settings.clients, logger: services.logger)
        assets = IdPPages.assets(settings.brand)
        logos = ClientLogos(clients)
        pages = try services.pages ?? IdPPages.pages(settings.brand, assets: assets)
        script = assets.path(of: "sign-in.js")

        eligibility = SignInEligibility(allowed: settings.allowedEmails)
        accounts = AccountStore(database: database, clock: clock, randomness: randomness, eligibility: eligibility)
        knownBrowsers = KnownBrowsers(
            store: KnownBrowserStore(database: database, clock: clock, randomness: randomness),
            cookie: KnownBrowserCookie(keys: settings.keys, origin: settings.publicURL))
        let newcomers = NewSessionLimit(
            settings.limits.newSessions, by: settings.trustedProxies, clock: clock,
            knownBrowser: knownBrowsers.countedBrowser)
        let mail = MailQueue(database: database, clock: clock, capacity: MailCapacity(limit: settings.mailHourlyLimit))
        self.mail = mail
        limits = SignInLimits(
            settings.limits, addresses: settings.trustedProxies, newcomers: newcomers, keys: settings.keys,
            clock: clock, unreached: { try await mail.unreached(of: $0, bound: $1) })
        sessions = Sessions(
            store: SessionStore(
                database: database, clock: clock, randomness: randomness,
                lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2)), maximumVisitors: 100_000),
            cookie: SessionCookie(name: "idp_session", origin: settings.publicURL),
            forms: CSRFTokens(keys: settings.keys, origin: settings.publicURL),
            newcomers: newcomers)
        grants = GrantStore(
            database: database, clock: clock, eligibility: eligibility, clients: clients)
        authorizer = Authorizer(
            clients: clients, sessions: sessions, accounts: accounts, grants: grants, clock: clock,
            randomness: randomness)
        completionPage = try CompletionPage(pages: pages, logos: logos, script: assets.path(of: "continue.js"))
        accessTokens = AccessTokenStore(
            database: database, clock: clock, randomness: randomness, eligibility: eligibility)
        appDevices = AppDevices(tokens: accessTokens, sessions: sessions.store)
        handoffs = HandoffStore(database: database, clock: clock, sessions: sessions.store, eligibility: eligibility)
        appIdentities = AppIdentityStore(
            database: database, clock: clock, tokens: accessTokens, keys: settings.keys, randomness: randomness)
        providerClient = try ProviderClient(clock: clock, logger: services.logger)
        changes = AccountNotices(
            mail: mail, providers: providers, clock: clock, randomness: randomness, logger: services.logger)
    }

    /// Opens and seals the refresh tokens of identities.
    var refreshTokens: SealedBox {
        SealedBox(keys: settings.keys, label: "provider-refresh-token", randomness: randomness)
    }

    var database: any Database { services.database }
    var clock: ServiceClock { services.clock }
    var randomness: any Randomness { services.randomness }

    var appIdentityPages: AppIdentityPages {
        AppIdentityPages(pages: pages, continueScript: assets.path(of: "continue.js"), formScript: script)
    }

    /// A limit of its own for wrong signatures, and the networks that have sent right ones.
    func signerNetworks() -> SignerNetworks {
        SignerNetworks(
            settings.trustedProxies,
            badSignatures: NetworkLimit(settings.limits.badSignatures, per: .minutes(1), clock: clock),
            proven: ProvenNetworks(clock: clock))
    }
}
