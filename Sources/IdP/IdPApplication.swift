import Hummingbird
import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle
import WellKnown

/// Puts the IdP together: the one file that names every feature.
///
/// - Parameters:
///   - shutdown: whether the program is about to stop.
///   - started: told the address in use once the server listens.
/// - Throws: what is wrong with a template.
func buildIdP(
    settings: IdPSettings, services: IdPServices, shutdown: ShutdownState = .init(),
    started: @escaping @Sendable (String) -> Void = { _ in }
) throws -> some ApplicationProtocol {
    let (database, clock, randomness) = (services.database, services.clock, services.randomness)
    let assets = IdPPages.assets
    let pages = try IdPPages.pages(assets: assets)
    let script = assets.path(of: "sign-in.js")

    // What features share.
    let devices = Devices(
        store: DeviceStore(database: database, clock: clock, randomness: randomness),
        cookie: DeviceCookie(keys: settings.keys, origin: settings.publicURL))
    let newcomers = NewcomerLimit(
        settings.limits.newSessions, by: settings.trustedProxies, clock: clock, knownBrowser: devices.countedBrowser)
    let limits = SignInLimits(
        settings.limits, addresses: settings.trustedProxies, newcomers: newcomers, keys: settings.keys, clock: clock)
    let sessions = Sessions<IdPSession>(
        store: SessionStore(
            database: database, clock: clock, randomness: randomness,
            lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2)), maximumVisitors: 100_000),
        cookie: SessionCookie(name: "idp_session", origin: settings.publicURL),
        forms: FormTokens(keys: settings.keys, origin: settings.publicURL),
        newcomers: newcomers)
    let eligibility = SignInEligibility(allowed: settings.allowedEmails)
    let accounts = AccountStore(
        database: database, clock: clock, randomness: randomness, eligibility: eligibility)
    let tokens = SSOTokenStore(
        database: database, clock: clock, randomness: randomness, eligibility: eligibility)
    let letters = LetterStore(
        database: database, clock: clock, capacity: MailCapacity(limit: settings.mailHourlyLimit))
    let delay = MailDelay()
    let codes = EmailCode(keys: settings.keys)
    let challenges = ChallengeStore(
        database: database, clock: clock, randomness: randomness, codes: codes,
        eligibility: eligibility, letters: letters)
    let guesses = EmailCodeStore(database: database, clock: clock, randomness: randomness)
    let completion = SignInCompletion(
        sessions: sessions, accounts: accounts, devices: devices, clock: clock)
    let link = DeviceLink(keys: settings.keys, origin: settings.publicURL, randomness: randomness)
    let postOffice = PostOffice(
        letters: letters, challenges: challenges,
        content: EmailCodeMail(
            pages: pages, codes: codes, issuer: settings.publicURL,
            browserLink: DeviceInvitation(link: link, letters: letters, guesses: guesses, clock: clock).url),
        mailer: services.mailer, from: settings.mailFrom, issuer: settings.publicURL, delay: delay, clock: clock,
        logger: services.logger)

    let router = WebRouter.router(
        VisitorContext.self, origin: settings.publicURL, pages: pages, assets: assets, database: database,
        clock: clock, addresses: settings.trustedProxies, shutdown: shutdown, jsonPaths: [SSOPath.verify])
    let association = AssociationFiles(
        apple: settings.appleAssociation, android: settings.androidAssociation, logger: services.logger)
    AssociationRoutes(files: association).add(to: router)
    if settings.linkTester {
        LinkTesterRoutes(
            files: association, dev: services.devPages, isForThisMachineOnly: settings.publicURL.isLoopback,
            page: LinkTesterPage(pages: pages, origin: settings.publicURL, path: services.devPages.path(of: .links))
        ).add(to: router)
    }
    VerifyRoutes(
        signatures: SignatureCheck(clients: settings.clients), tokens: tokens,
        idleLimit: sessions.store.lifetime.idle, addresses: settings.trustedProxies,
        badSignatures: NetworkLimit(settings.limits.badSignatures, per: .minutes(1), clock: clock),
        proven: ProvenNetworks(clock: clock)
    ).add(to: router)
    if settings.showsMailbox, let outbox = services.mailer as? OutboxMailer {
        MailboxRoutes(outbox: outbox, dev: services.devPages, pages: pages).add(to: router)
    }

    // What knows the browser's session.
    router.add(middleware: SessionMiddleware(sessions))
    HomeRoutes(
        sessions: sessions, accounts: accounts, tokens: tokens, clients: settings.clients, page: HomePage(pages: pages)
    ).add(to: router)
    AuthorizeRoutes(
        clients: settings.clients, sessions: sessions, accounts: accounts, tokens: tokens, clock: clock,
        randomness: randomness, page: CompletionPage(pages: pages, script: assets.path(of: "continue.js"))
    ).add(to: router)
    SignInRoutes(
        sessions: sessions, clients: settings.clients, challenges: challenges, completion: completion,
        devices: devices, limits: limits, page: SignInPage(pages: pages, script: script)
    ).add(to: router)
    EmailCodeRoutes(
        sessions: sessions, challenges: challenges, guesses: guesses, letters: letters, delay: delay, codes: codes,
        completion: completion, limits: limits, page: EmailCodePage(pages: pages, script: script), clock: clock
    ).add(to: router)
    DeviceRoutes(
        sessions: sessions, devices: devices, link: link, challenges: challenges, pages: pages, clock: clock
    ).add(to: router)

    let endAlarm: PurgeService.Purge = { [logger = services.logger] _ in
        if try await guesses.endAlarm() { logger.notice("guess_alarm_ended") }
        return 0
    }
    let purge = PurgeService(
        every: .minutes(1), clock: clock, logger: services.logger, newest: sessions.store.newestRow,
        [
            endAlarm, sessions.store.purge, tokens.purge, challenges.purge, guesses.purge, letters.purge,
            devices.store.purge,
        ])
    return WebServer.application(
        router: router,
        broken: BrokenRequests(
            pages: pages, origin: settings.publicURL, jsonPaths: [SSOPath.verify], logger: services.logger),
        listen: settings.listen, addresses: settings.trustedProxies, shutdown: shutdown, logger: services.logger,
        services: [postOffice, purge, ClockWatch(clock, logger: services.logger), ReloadService(association.reload)],
        started: started)
}
