import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// Puts the partner together: the one file that names every feature.
///
/// - Parameters:
///   - shutdown: whether the program is about to stop.
///   - started: told the address in use once the server listens.
func buildRelyingParty(
    settings: RelyingPartySettings, services: RelyingPartyServices, shutdown: ShutdownState = .init(),
    started: @escaping @Sendable (String) -> Void = { _ in }
) throws -> some ApplicationProtocol {
    let (database, clock, randomness) = (services.database, services.clock, services.randomness)
    let assets = RelyingPartyPages.assets
    let pages = try RelyingPartyPages.pages(assets: assets)

    let sessions = Sessions(
        store: SessionStore(
            database: database, clock: clock, randomness: randomness,
            lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(1))),
        cookie: SessionCookie(name: "rp_session", origin: settings.publicURL),
        forms: CSRFTokens(keys: settings.keys, origin: settings.publicURL))
    let pending = PendingSignInsCookie(
        keys: settings.keys, origin: settings.publicURL, clock: clock, randomness: randomness)
    let start = SignInStart(settings: settings, cookie: pending, clock: clock, randomness: randomness)
    let used = UsedStateStore(database: database, clock: clock)

    let router = WebRouter.router(
        VisitorContext.self, origin: settings.publicURL, pages: pages, assets: assets, database: database,
        clock: clock, addresses: ClientAddress(trusted: []), shutdown: shutdown,
        jsonPaths: [HomeRoutes.sessionPath],
        pathsWithTokens: [SSOPath.callback])

    // What knows the browser's session.
    router.add(middleware: SessionMiddleware(sessions))
    HomeRoutes(sessions: sessions, start: start, page: HomePage(pages: pages)).add(to: router)
    SignInRoutes(
        start: start, pending: pending, used: used, sessions: sessions, backChannel: services.backChannel,
        redirectURI: settings.redirectURI, idp: settings.idp.text, clock: clock, once: SignInOnce(clock: clock)
    ).add(to: router)

    let purge = PurgeService(
        every: .minutes(1), clock: clock, logger: services.logger, newest: sessions.store.newestRow,
        [sessions.store.purge, used.purge])
    return WebServer.application(
        router: router, listen: settings.listen, shutdown: shutdown, logger: services.logger,
        services: [purge, ClockWatch(clock, logger: services.logger), ReloadService(logger: services.logger)],
        started: started)
}
