import Hummingbird
import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle
import WellKnown

/// Puts the IdP together: the one file that names every feature.
///
/// - Parameter started: told the address in use once the server listens.
/// - Throws: what is wrong with a template.
func buildIdP(
    settings: IdPSettings, services: IdPServices, started: @escaping @Sendable (String) -> Void = { _ in }
) throws -> some ApplicationProtocol {
    let (database, clock, randomness) = (services.database, services.clock, services.randomness)
    let assets = IdPPages.assets
    let pages = try IdPPages.pages(assets: assets)
    let script = assets.path(of: "sign-in.js")

    // What features share.
    let sessions = Sessions<IdPSession>(
        store: SessionStore(
            database: database, clock: clock, randomness: randomness,
            lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2))),
        cookie: SessionCookie(name: "idp_session", origin: settings.publicURL),
        forms: FormTokens(keys: settings.keys, origin: settings.publicURL),
        newcomers: NewcomerLimit(RateLimit(120, per: .hours(1), clock: clock), by: settings.trustedProxies))
    let accounts = AccountStore(database: database, clock: clock, randomness: randomness)
    let tokens = SSOTokenStore(database: database, clock: clock, randomness: randomness)
    let letters = LetterStore(database: database, clock: clock, hourlyLimit: settings.mailHourlyLimit)
    let codes = EmailCode(keys: settings.keys)
    let challenges = ChallengeStore(
        database: database, clock: clock, randomness: randomness, codes: codes,
        eligibility: SignInEligibility(allowed: settings.allowedEmails), letters: letters)
    let guesses = EmailCodeStore(database: database, clock: clock, randomness: randomness)
    let completion = SignInCompletion(sessions: sessions, accounts: accounts, clock: clock)
    let postOffice = PostOffice(
        letters: letters, challenges: challenges,
        content: EmailCodeMail(pages: pages, codes: codes, issuer: settings.publicURL), mailer: services.mailer,
        from: settings.mailFrom, issuer: settings.publicURL, clock: clock, logger: services.logger)

    let router = WebRouter.router(
        VisitorContext.self, origin: settings.publicURL, pages: pages, assets: assets, database: database,
        addresses: settings.trustedProxies, jsonPaths: [SSOPath.verify])
    let association = AssociationFiles(
        apple: settings.appleAssociation, android: settings.androidAssociation, logger: services.logger)
    AssociationRoutes(files: association).add(to: router)
    LinkLabRoutes(files: association, page: LinkLabPage(pages: pages, origin: settings.publicURL)).add(to: router)
    VerifyRoutes(
        signatures: SignatureCheck(clients: settings.clients), tokens: tokens,
        idleLimit: sessions.store.lifetime.idle, addresses: settings.trustedProxies,
        badSignatures: RateLimit(6000, per: .minutes(1), clock: clock)
    ).add(to: router)
    if let outbox = services.mailer as? OutboxMailer { MailboxRoutes(outbox: outbox, pages: pages).add(to: router) }

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
        addresses: settings.trustedProxies, posts: RateLimit(30, per: .hours(1), clock: clock),
        sends: RateLimit(20, per: .hours(1), clock: clock),
        page: SignInPage(pages: pages, script: script)
    ).add(to: router)
    EmailCodeRoutes(
        sessions: sessions, challenges: challenges, guesses: guesses, letters: letters, codes: codes,
        completion: completion, addresses: settings.trustedProxies, posts: RateLimit(60, per: .hours(1), clock: clock),
        alarm: RateLimit(100, per: .minutes(10), clock: clock),
        page: EmailCodePage(pages: pages, script: script), clock: clock
    ).add(to: router)

    let purge = PurgeService(
        every: .minutes(1), logger: services.logger,
        [sessions.store.purge, tokens.purge, challenges.purge, guesses.purge, letters.purge])
    return WebServer.application(
        router: router,
        broken: BrokenRequests(
            pages: pages, origin: settings.publicURL, jsonPaths: [SSOPath.verify], logger: services.logger),
        listen: settings.listen, logger: services.logger,
        services: [postOffice, purge, ReloadService(association.reload)],
        started: started)
}
