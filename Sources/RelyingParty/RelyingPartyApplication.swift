import Hummingbird
import Logging
import SSOClient
import SSOShared
import SSOWeb
import ServiceLifecycle
import Storage
import StorageEngines
import ThisBuild

/// What the program uses beyond its own memory.
struct RelyingPartyServices: Sendable {
    let database: any Database
    let backChannel: BackChannelClient
    let clock: ServiceClock
    let randomness: any Randomness
    let logger: Logger
    /// Nil where nobody reads metrics.
    var metrics: ProgramMetrics?
    /// Pages in place of the built-in ones, for tests.
    var pages: Pages?
    /// What runs beside the server for the database.
    var jobs: [any Service] = []
    /// Whether this process does what one of all nodes does, such as deleting expired rows.
    var isChosen: @Sendable () -> Bool = { true }
    /// Whether other nodes serve on the database.
    var hasOthers: @Sendable () -> Bool = { false }

    /// The real services, as the settings say.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` when the database cannot be used, ``SettingError`` when another process on it has
    ///   other settings.
    static func live(_ settings: RelyingPartySettings, logger: Logger) async throws -> RelyingPartyServices {
        let metrics = settings.metricsListen.map {
            ProgramMetrics(
                $0, build: ThisBuild.stamp, events: RelyingPartyEvents.all + StorageEvents.all + WebEvents.all)
        }
        let logger = logger.counting(metrics?.counts)
        let database = try await ProgramDatabase.relyingParty.open(settings.database, logger)
        let node = try await ProgramNode.join(database, as: settings.node, logger)
        let clock = node?.clock ?? .system()
        return RelyingPartyServices(
            database: database,
            backChannel: try BackChannelClient(
                settings, notePreviousSecret: PreviousSecretWarning(clock: clock, logger: logger).note),
            clock: clock, randomness: SystemRandomness(), logger: logger, metrics: metrics,
            jobs: node.map { [$0] } ?? [],
            isChosen: node.map { node in { @Sendable in node.isChosen } } ?? { true },
            hasOthers: node.map { node in { @Sendable in node.hasOthers } } ?? { false })
    }
}

/// The relying party's templates, texts and styles, which are compiled in.
enum RelyingPartyPages {
    static let files: [PageFiles] = [.relyingParty]

    static let assets = StaticAssets(files.reduce(into: [:]) { $0.merge($1.assets) { $1 } })

    /// - Throws: if a template is malformed.
    static func pages(_ settings: RelyingPartySettings) throws -> Pages {
        try Pages(
            brand: Brand(name: settings.name), files: files, values: ["idp": settings.idpName], assets: assets)
    }
}

/// Assembles the relying party: the only place that names every feature.
///
/// - Parameters:
///   - shutdown: whether the program is about to stop.
///   - started: called with the address in use once the server listens.
///   - inspect: receives the router with every route, for tests.
func buildRelyingParty(
    settings: RelyingPartySettings, services: RelyingPartyServices, shutdown: ShutdownState = .init(),
    started: @escaping @Sendable (String) -> Void = { _ in },
    inspecting inspect: (Router<VisitorContext>) -> Void = { _ in }
) throws -> some ApplicationProtocol {
    let (database, clock, randomness) = (services.database, services.clock, services.randomness)
    let assets = RelyingPartyPages.assets
    let pages = try services.pages ?? RelyingPartyPages.pages(settings)

    let sessions = Sessions(
        store: SessionStore(
            database: database, clock: clock, randomness: randomness,
            lifetime: settings.sessionLifetime),
        cookie: SessionCookie(name: "rp_session", origin: settings.publicURL),
        forms: CSRFTokens(keys: settings.keys, origin: settings.publicURL))
    let signOuts = SignOutStore(database: database, clock: clock)
    let signIn = SignInRoutes(
        client: SignInClient(
            idp: settings.idp.text, clientID: settings.clientID, redirectURI: settings.redirectURI,
            backChannel: services.backChannel, randomness: randomness),
        nativeRedirectURI: settings.nativeRedirectURI,
        pending: PendingSignInsCookie(keys: settings.keys, randomness: randomness),
        cookie: BrowserCookie(
            name: "rp_pending", origin: settings.publicURL, maximumAge: PendingSignIns.lifetime),
        used: UsedStateStore(database: database, clock: clock), signOuts: signOuts, sessions: sessions, clock: clock,
        once: SignInOnce { clock.now().date })

    let router = WebRouter.router(
        VisitorContext.self, origin: settings.publicURL, pages: pages, assets: assets, database: database,
        clock: clock, addresses: ClientAddress(trusted: []), shutdown: shutdown,
        metrics: services.metrics,
        jsonPaths: ["/api/", SSOPath.logout], pathsWithTokens: [SSOPath.callback],
        pageRoutes: HomeRoutes.pageRoutes)
    NativeRoutes(pages: pages, paths: .relyingParty).add(to: router)
    SignOutRoute(
        receiver: SignOutReceiver(clientID: settings.clientID, secret: settings.secret), store: signOuts
    ).add(to: router)
    // From here on a request knows the browser's session.
    router.add(middleware: SessionMiddleware(sessions))
    if let interval = settings.sessionCheck.duration {
        router.add(
            middleware: SessionCheckMiddleware(
                check: SessionCheck(every: interval, backChannel: services.backChannel), sessions: sessions,
                clock: clock, signOutPath: SignInRoutes.signOutPath))
    }
    HomeRoutes(sessions: sessions, signIn: signIn, pages: pages).add(to: router)
    signIn.add(to: router)
    inspect(router)

    let purge = PurgeService(
        every: .minutes(1), clock: clock, logger: services.logger, newest: sessions.store.newestRow,
        [sessions.store.purge, signIn.used.purge, signOuts.purge].map { purge -> PurgeService.Purge in
            { limit in services.isChosen() ? try await purge(limit) : 0 }
        })
    let metrics = services.metrics.map {
        [
            MetricsService(
                $0, clock: clock, readings: CommonMetrics.readings(database, shutdown), logger: services.logger
            ) { [logger = services.logger] in
                logger.record(Event(.metricsListening, ["address": "\($0)"]))
            }
        ]
    }
    return WebServer.application(
        router: router,
        listen: settings.listen, shutdown: shutdown, logger: services.logger,
        services: [
            purge, ClockWatch(clock, logger: services.logger), ReloadService(logger: services.logger),
            TemplateReading(pages),
        ] + (metrics ?? []) + services.jobs,
        started: started)
}
