package import Hummingbird
package import IdPAccounts
package import IdPClients
package import IdPMail
package import IdPSignOut
package import Logging
package import SSOShared
package import SSOWeb
package import Storage

/// What the features of the identity provider share: stores, limits, sessions and pages, made once from the settings.
package struct SharedParts: Sendable {
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

    /// The addresses of `IDP_ADMINS`.
    package let admins: AdminAddresses
    package let eligibility: SignInEligibility
    package let accounts: AccountStore
    package let knownBrowsers: KnownBrowsers
    package let limits: SignInLimits
    package let sessions: Sessions
    package let flowClients: FlowClients
    /// The one count of begun flows, for clients and for pages of the program itself.
    package let flowLimit: FlowLimit
    package let accessTokens: AccessTokenStore
    package let appDevices: AppDevices
    package let signOuts: SignOuts
    package let mail: MailQueue
    package let mailDelay = MailDelay()
    /// Whether emails are sent, so that users can prove an address by one.
    package var hasMail: Bool { mail.isOn }
    package let audit: AuditLog

    /// - Parameter hasMail: whether emails are sent.
    /// - Throws: if a template is malformed.
    package init(
        _ values: SettingValues, _ services: ProgramServices, clients: ClientDirectory, pages: Pages,
        assets: StaticAssets, hasMail: Bool
    ) throws {
        (database, clock, randomness) = (services.database, services.clock, services.randomness)
        (logger, shutdown) = (services.logger, services.shutdown)
        (origin, keys) = (try values[FlowSettings.publicURL], try values[FlowSettings.secretKey])
        (proxies, places) = (try values[FlowSettings.trustedProxies], try values[Places.setting])
        badSignatures = try values[SignInLimits.badSignatures]
        (self.clients, self.pages, self.assets) = (clients, pages, assets)
        logos = ClientLogos(clients)

        admins = try values[AdminAddresses.setting]
        eligibility = SignInEligibility(allowed: try values[AllowedEmails.setting].adding(admins.all), clock: clock)
        signOuts = SignOuts(clock: clock, randomness: randomness, protocols: clients.registry.protocols) {
            // Also one whose disabling was not finished: it is still told.
            try clients.client(alsoDisabled: $0, $2)?.takesSignOuts(of: $1) ?? false
        }
        accounts = AccountStore(
            database: database, clock: clock, randomness: randomness, eligibility: eligibility, signOuts: signOuts)
        knownBrowsers = KnownBrowsers(services, keys: keys, origin: origin)
        mail = try MailQueue(values, services, isOn: hasMail)
        let newcomers = try NewSessionLimit(values, clock, knownBrowsers)
        limits = try SignInLimits(values, newcomers: newcomers, clock: clock, unreached: mail.unreached)
        sessions = try Sessions(values, services, newcomers: newcomers)
        flowLimit = FlowLimit(networks: try NewSessionLimit(values, clock, knownBrowsers), clock: clock)
        flowClients = FlowClients(keys: keys, clients: clients)
        accessTokens = AccessTokenStore(
            database: database, clock: clock, randomness: randomness, eligibility: eligibility)
        audit = AuditLog(services, keys: keys)
        appDevices = AppDevices(tokens: accessTokens, sessions: sessions.store, signOuts: signOuts)
    }

    /// ``Places/name(of:)`` of a request.
    package func place(of request: Request, _ context: VisitorContext) -> String? {
        places.name(of: proxies.address(of: request, peer: context.peer))
    }

    /// The address of a request's client, as `IDP_TRUSTED_PROXIES` gives it.
    package func address(of request: Request, _ context: VisitorContext) -> IPAddress? {
        proxies.address(of: request, peer: context.peer)
    }

    /// Sends a visitor to sign in, and then on to what waits for that.
    package func toSignIn(
        for flow: Flow.Request, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let session = try await sessions.current(request, context)
        return try .toSignIn(SignInPath.signIn(try await begin(flow, session)), for: request) {
            sessions.remember(session, in: &$0)
        }
    }

    /// Lets something wait in the session until its user has signed in.
    ///
    /// - Returns: nil if another request of the browser has ended the session meanwhile.
    package func begin(_ flow: Flow.Request, _ session: Session) async throws -> FlowID? {
        try flowLimit.count(session)
        let (id, now) = (try FlowID(randomness: randomness), clock.now())
        let updated = try await sessions.store.update(session) { slots in
            try slots[Flows.self].begin(flow, id: id, now: now)
            return true
        }
        return updated == nil ? nil : id
    }

    /// What `idp check --connect` asks.
    var selfCheck: SelfCheckRoute { SelfCheckRoute(clock: clock, keys: keys, proxies: proxies) }

    /// Adds the audit log to every request.
    package var auditing: AuditMiddleware { AuditMiddleware(audit, proxies: proxies) }

    /// A limit of its own for wrong signatures, and the networks that have sent right ones.
    package func signerNetworks() -> SignerNetworks {
        SignerNetworks(
            proxies, badSignatures: NetworkLimit(badSignatures, per: .minutes(1), clock: clock),
            proven: ProvenNetworks(clock: clock))
    }
}

extension KnownBrowsers {
    fileprivate init(_ services: ProgramServices, keys: DerivedKeys, origin: PublicOrigin) {
        self.init(
            store: KnownBrowserStore(
                database: services.database, clock: services.clock, randomness: services.randomness),
            cookie: KnownBrowserCookie(keys: keys, origin: origin))
    }
}

extension MailQueue {
    fileprivate init(_ values: SettingValues, _ services: ProgramServices, isOn: Bool) throws(SettingError) {
        self.init(
            database: services.database, clock: services.clock,
            capacity: MailCapacity(limit: try values[MailCapacity.hourlyLimit]), isOn: isOn)
    }
}

extension NewSessionLimit {
    fileprivate init(
        _ values: SettingValues, _ clock: ServiceClock, _ knownBrowsers: KnownBrowsers
    ) throws(SettingError) {
        self.init(
            try values[SignInLimits.newSessions], by: try values[FlowSettings.trustedProxies], clock: clock,
            knownBrowser: knownBrowsers.countedBrowser)
    }
}

extension Sessions {
    fileprivate init(
        _ values: SettingValues, _ services: ProgramServices, newcomers: NewSessionLimit
    ) throws(SettingError) {
        let origin = try values[FlowSettings.publicURL]
        self.init(
            store: SessionStore(
                database: services.database, clock: services.clock, randomness: services.randomness,
                lifetime: try values[FlowSettings.sessions], maximumVisitors: 100_000),
            cookie: SessionCookie(name: "idp_session", origin: origin),
            forms: CSRFTokens(keys: try values[FlowSettings.secretKey], origin: origin), newcomers: newcomers)
    }
}

extension AuditLog {
    fileprivate convenience init(_ services: ProgramServices, keys: DerivedKeys) {
        self.init(
            store: AuditStore(database: services.database, clock: services.clock, randomness: services.randomness),
            addresses: AuditAddressKeys(keys), logger: services.logger)
    }
}
