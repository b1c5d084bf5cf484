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
    let common: ProgramServices
    let backChannel: BackChannelClient

    init(_ common: ProgramServices, backChannel: BackChannelClient) {
        (self.common, self.backChannel) = (common, backChannel)
    }

    /// The real services, as the settings say.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` when the database cannot be used, ``SettingError`` when another process on it has
    ///   other settings.
    static func live(_ values: SettingValues, logger: Logger) async throws -> RelyingPartyServices {
        let metrics = try values[RelyingPartySettings.metricsListen].map {
            ProgramMetrics(
                $0, build: ThisBuild.stamp, events: RelyingPartyEvents.all + StorageEvents.all + WebEvents.all)
        }
        let (logger, node) = (logger.counting(metrics?.counts), try NodeDescription(relyingParty: values))
        let database = try await ProgramDatabase.relyingParty.open(try values[RelyingPartySettings.database], logger)
        let common = try await ProgramServices.joining(database, as: node, logger, metrics: metrics)
        let previous = PreviousSecretWarning(clock: common.clock, logger: logger)
        return RelyingPartyServices(
            common, backChannel: try BackChannelClient(values, notePreviousSecret: previous.note))
    }
}

/// The relying party's templates, texts and styles, which are compiled in.
enum RelyingPartyPages {
    static let files: [PageFiles] = [.relyingParty]

    static let assets = StaticAssets(files.reduce(into: [:]) { $0.merge($1.assets) { $1 } })

    /// - Throws: if a template is malformed.
    static func pages(_ values: SettingValues) throws -> Pages {
        try Pages(
            brand: Brand(name: try values[RelyingPartySettings.name]), files: files,
            values: ["idp": try values[RelyingPartySettings.idpName]], assets: assets)
    }
}

/// Assembles the relying party.
///
/// - Parameters:
///   - started: called with the address in use once the server listens.
///   - inspect: receives the router with every route, for tests.
func buildRelyingParty(
    settings values: SettingValues, services: RelyingPartyServices,
    started: @escaping @Sendable (String) -> Void = { _ in },
    inspecting inspect: (Router<VisitorContext>) -> Void = { _ in }
) throws -> some ApplicationProtocol {
    let (features, common) = (try RelyingPartyFeatures(values, services), services.common)
    let router = features.router
    inspect(router)
    return WebServer.application(
        router: router, listen: try values[RelyingPartySettings.listen], shutdown: common.shutdown,
        logger: common.logger,
        services: [
            features.purge, ClockWatch(common.clock, logger: common.logger), ReloadService(logger: common.logger),
            TemplateReading(features.pages),
        ] + common.jobs(),
        started: started)
}

/// What the relying party consists of: the only place that names every feature.
struct RelyingPartyFeatures {
    private let common: ProgramServices
    private let origin: PublicOrigin
    let pages: Pages
    private let sessions: Sessions
    private let signOuts: SignOutStore
    private let signOut: SignOutRoute
    private let sessionCheck: SessionCheckMiddleware?
    private let signIn: SignInRoutes

    init(_ values: SettingValues, _ services: RelyingPartyServices) throws {
        let common = services.common
        self.common = common
        origin = try values[RelyingPartySettings.publicURL]
        pages = try common.pages ?? RelyingPartyPages.pages(values)
        let sessions = Sessions(
            store: SessionStore(
                database: common.database, clock: common.clock, randomness: common.randomness,
                lifetime: try values[RelyingPartySettings.sessions]),
            cookie: SessionCookie(name: "rp_session", origin: origin),
            forms: CSRFTokens(keys: try values[RelyingPartySettings.secretKey], origin: origin))
        self.sessions = sessions
        signOuts = SignOutStore(database: common.database, clock: common.clock)
        signOut = SignOutRoute(
            receiver: SignOutReceiver(
                clientID: try values[RelyingPartySettings.clientID],
                secret: try values[RelyingPartySettings.sharedSecret]), store: signOuts)
        sessionCheck = try values[RelyingPartySettings.sessionCheck].duration.map {
            SessionCheckMiddleware(
                check: SessionCheck(every: $0, backChannel: services.backChannel), sessions: sessions,
                clock: common.clock, signOutPath: SignInRoutes.signOutPath)
        }
        signIn = try SignInRoutes(values, services, sessions: sessions, signOuts: signOuts)
    }

    var router: Router<VisitorContext> {
        let router = WebRouter.router(
            VisitorContext.self, origin: origin, pages: pages, assets: RelyingPartyPages.assets,
            database: common.database, clock: common.clock, addresses: ClientAddress(trusted: []),
            shutdown: common.shutdown, metrics: common.metrics, jsonPaths: ["/api/", SSOPath.logout],
            pathsWithTokens: [SSOPath.callback], pageRoutes: HomeRoutes.pageRoutes)
        NativeRoutes(pages: pages, paths: .relyingParty).add(to: router)
        signOut.add(to: router)
        // From here on a request knows the browser's session.
        router.add(middleware: SessionMiddleware(sessions))
        if let sessionCheck { router.add(middleware: sessionCheck) }
        HomeRoutes(sessions: sessions, signIn: signIn, pages: pages).add(to: router)
        signIn.add(to: router)
        return router
    }

    var purge: PurgeService {
        common.purging(
            newest: sessions.store.newestRow, [sessions.store.purge, signIn.used.purge, signOuts.purge])
    }
}
