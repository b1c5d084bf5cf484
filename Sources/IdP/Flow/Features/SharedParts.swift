package import Hummingbird
package import IdPAccounts
package import IdPClients
package import IdPMail
package import Logging
package import SSOShared
package import SSOWeb
package import Storage

/// What the features of the identity provider share: stores, limits, sessions and pages, made once from the settings.
package struct SharedParts: Sendable {
    /// What the program is told.
    package struct Options: Sendable {
        let origin: PublicOrigin
        let keys: DerivedKeys
        let proxies: ClientAddress
        let places: Places
        let limits: SignInLimits.Counts
        let mailHourlyLimit: Int
        let allowedEmails: AllowedEmails
        let sessionLifetime: SessionLifetime

        package init(
            origin: PublicOrigin, keys: DerivedKeys, proxies: ClientAddress, places: Places,
            limits: SignInLimits.Counts, mailHourlyLimit: Int, allowedEmails: AllowedEmails,
            sessionLifetime: SessionLifetime
        ) {
            (self.origin, self.keys, self.proxies, self.places, self.limits) = (origin, keys, proxies, places, limits)
            (self.mailHourlyLimit, self.allowedEmails) = (mailHourlyLimit, allowedEmails)
            self.sessionLifetime = sessionLifetime
        }
    }

    /// What lies outside the program's own memory.
    package struct World: Sendable {
        let database: any Database
        let clock: ServiceClock
        let randomness: any Randomness
        let logger: Logger
        let shutdown: ShutdownState

        package init(
            database: any Database, clock: ServiceClock, randomness: any Randomness, logger: Logger,
            shutdown: ShutdownState
        ) {
            (self.database, self.clock, self.randomness, self.logger) = (database, clock, randomness, logger)
            self.shutdown = shutdown
        }
    }

    package let database: any Database
    package let clock: ServiceClock
    package let randomness: any Randomness
    package let logger: Logger
    /// Whether the program is about to stop.
    package let shutdown: ShutdownState

    package let origin: PublicOrigin
    package let keys: DerivedKeys
    private let proxies: ClientAddress
    private let places: Places
    private let badSignatures: Int

    package let clients: ClientDirectory
    package let logos: ClientLogos
    package let pages: Pages
    package let assets: StaticAssets

    package let eligibility: SignInEligibility
    package let accounts: AccountStore
    package let knownBrowsers: KnownBrowsers
    package let limits: SignInLimits
    package let sessions: Sessions
    package let grants: GrantStore
    package let flowClients: FlowClients
    package let authorizer: Authorizer
    /// The one count of begun flows, for clients and for pages of the program itself.
    package let flowLimit: FlowLimit
    package let completionPage: CompletionPage
    package let accessTokens: AccessTokenStore
    package let appDevices: AppDevices
    package let signOuts: SignOuts
    package let mail: MailQueue
    package let mailDelay = MailDelay()
    package let audit: AuditLog

    /// - Throws: if a template is malformed.
    package init(_ options: Options, _ world: World, clients: ClientDirectory, pages: Pages, assets: StaticAssets)
        throws
    {
        let (database, clock, randomness) = (world.database, world.clock, world.randomness)
        (self.database, self.clock, self.randomness, logger, shutdown) = (
            database, clock, randomness, world.logger, world.shutdown
        )
        (origin, keys, proxies, places) = (options.origin, options.keys, options.proxies, options.places)
        badSignatures = options.limits.badSignatures
        (self.clients, self.pages, self.assets) = (clients, pages, assets)
        logos = ClientLogos(clients)

        eligibility = SignInEligibility(allowed: options.allowedEmails, clock: clock)
        signOuts = SignOuts(clock: clock, randomness: randomness, protocols: clients.registry.protocols) {
            try clients.registered($2).client(id: $0)?.takesSignOuts(of: $1) ?? false
        }
        accounts = AccountStore(
            database: database, clock: clock, randomness: randomness, eligibility: eligibility, signOuts: signOuts)
        knownBrowsers = KnownBrowsers(
            store: KnownBrowserStore(database: database, clock: clock, randomness: randomness),
            cookie: KnownBrowserCookie(keys: keys, origin: origin))
        let newcomers = NewSessionLimit(
            options.limits.newSessions, by: proxies, clock: clock, knownBrowser: knownBrowsers.countedBrowser)
        let mail = MailQueue(
            database: database, clock: clock, capacity: MailCapacity(limit: options.mailHourlyLimit))
        self.mail = mail
        limits = SignInLimits(
            options.limits, addresses: proxies, newcomers: newcomers, keys: keys, clock: clock,
            unreached: { try await mail.unreached(of: $0, bound: $1) })
        sessions = Sessions(
            store: SessionStore(
                database: database, clock: clock, randomness: randomness,
                lifetime: options.sessionLifetime, maximumVisitors: 100_000),
            cookie: SessionCookie(name: "idp_session", origin: origin),
            forms: CSRFTokens(keys: keys, origin: origin), newcomers: newcomers)
        grants = GrantStore(database: database, clock: clock, eligibility: eligibility, clients: clients)
        let flowLimit = FlowLimit(
            networks: NewSessionLimit(
                options.limits.newSessions, by: proxies, clock: clock, knownBrowser: knownBrowsers.countedBrowser),
            clock: clock)
        self.flowLimit = flowLimit
        let flowClients = FlowClients(keys: options.keys, clients: clients)
        self.flowClients = flowClients
        authorizer = Authorizer(
            clients: clients, sessions: sessions, accounts: accounts, grants: grants,
            noAccess: NoAccessPage(
                pages: pages, sessions: sessions, logos: logos, script: assets.path(of: "sign-in.js")),
            limit: flowLimit, flowClients: flowClients, randomness: randomness)
        completionPage = try CompletionPage(pages: pages, logos: logos, script: assets.path(of: "continue.js"))
        accessTokens = AccessTokenStore(
            database: database, clock: clock, randomness: randomness, eligibility: eligibility)
        audit = AuditLog(
            store: AuditStore(database: database, clock: clock, randomness: randomness),
            addresses: AuditAddressKeys(keys), logger: world.logger)
        appDevices = AppDevices(tokens: accessTokens, sessions: sessions.store, signOuts: signOuts)
    }

    /// The script of pages with forms: keeps a double click from sending one twice.
    package var formScript: String { assets.path(of: "sign-in.js") }
    /// The script of pages that go on by themselves.
    package var continueScript: String { assets.path(of: "continue.js") }

    /// ``Places/name(of:)`` of a request.
    package func place(of request: Request, _ context: VisitorContext) -> String? {
        places.name(of: proxies.address(of: request, peer: context.peer))
    }

    /// Adds the audit log to every request.
    package var auditing: AuditMiddleware { AuditMiddleware(audit, proxies: proxies) }

    /// A limit of its own for wrong signatures, and the networks that have sent right ones.
    package func signerNetworks() -> SignerNetworks {
        SignerNetworks(
            proxies, badSignatures: NetworkLimit(badSignatures, per: .minutes(1), clock: clock),
            proven: ProvenNetworks(clock: clock))
    }
}
