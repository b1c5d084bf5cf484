import Hummingbird
import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle
import WellKnown

/// Builds the IdP. The only file that names every feature.
///
/// - Parameters:
///   - additions: sign-in methods and session slots beside the built-in ones.
///   - shutdown: whether the program is about to stop.
///   - started: called with the address once the server listens.
///   - inspect: receives the router with every route, for tests.
/// - Throws: if a template is malformed.
func buildIdP(
    settings: IdPSettings, services: IdPServices, adding additions: SignInAdditions = .init(),
    shutdown: ShutdownState = .init(),
    started: @escaping @Sendable (String) -> Void = { _ in },
    inspecting inspect: (Router<VisitorContext>) -> Void = { _ in }
) throws -> some ApplicationProtocol {
    let (database, clock, randomness) = (services.database, services.clock, services.randomness)
    let assets = IdPPages.assets(settings.brand, clients: settings.clients)
    let logos = ClientLogos(settings.clients, assets: assets)
    let pages = try services.pages ?? IdPPages.pages(settings.brand, assets: assets)
    let script = assets.path(of: "sign-in.js")

    // What features share.
    let devices = Devices(
        store: DeviceStore(database: database, clock: clock, randomness: randomness),
        cookie: DeviceCookie(keys: settings.keys, origin: settings.publicURL))
    let newcomers = NewSessionLimit(
        settings.limits.newSessions, by: settings.trustedProxies, clock: clock, knownBrowser: devices.countedBrowser)
    let limits = SignInLimits(
        settings.limits, addresses: settings.trustedProxies, newcomers: newcomers, keys: settings.keys, clock: clock)
    let sessions = Sessions(
        store: SessionStore(
            database: database, clock: clock, randomness: randomness,
            lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2)), maximumVisitors: 100_000),
        cookie: SessionCookie(name: "idp_session", origin: settings.publicURL),
        forms: CSRFTokens(keys: settings.keys, origin: settings.publicURL),
        newcomers: newcomers)
    let eligibility = SignInEligibility(allowed: settings.allowedEmails)
    let accounts = AccountStore(
        database: database, clock: clock, randomness: randomness, eligibility: eligibility)
    let tokens = SSOTokenStore(database: database, clock: clock, eligibility: eligibility)
    let accessTokens = AccessTokenStore(
        database: database, clock: clock, randomness: randomness, eligibility: eligibility)
    let appDevices = AppDevices(tokens: accessTokens, sessions: sessions.store)
    let mail = MailQueue(database: database, clock: clock, capacity: MailCapacity(limit: settings.mailHourlyLimit))
    let delay = MailDelay()
    let codes = EmailCode(keys: settings.keys)
    let challenges = ChallengeStore(
        database: database, clock: clock, randomness: randomness,
        codeMAC: { codes.mac(of: codes.code(for: $0), challenge: $0) }, mailKind: EmailCodeMail.kind,
        eligibility: eligibility, mail: mail)
    let guesses = GuessStore(database: database, clock: clock, randomness: randomness)
    let link = DeviceLink(keys: settings.keys, origin: settings.publicURL, randomness: randomness)
    let emailLink = EmailLink(keys: settings.keys, origin: settings.publicURL)
    let reply = settings.inboundMail.map { EmailReply(keys: settings.keys, domain: $0.domain) }

    // Every session slot, every email and every sign-in method has its line in one of these lists.
    let slots: [any SessionSlot.Type] =
        [PendingFlows.self, PendingHandoffs.self, BrowserChallenges.self, CurrentSignIn.self] + additions.slots
    let completion = SignInCompletion(
        sessions: sessions, slots: slots, accounts: accounts, devices: devices, tokens: accessTokens, clock: clock)
    let mailTemplates: [any MailTemplate] = [
        EmailCodeMail(
            challenge: challenges.findPending, pages: pages, codes: codes, issuer: settings.publicURL,
            browserLink: DeviceInvitation(link: link, mail: mail, guesses: guesses, clock: clock).url,
            signInLink: emailLink.url, replyTo: { reply?.address(for: $0.id) })
    ]
    let addressStep = AddressStep(challenges: challenges, devices: devices, limits: limits)
    let codeStep = CodeStep(challenges: challenges, guesses: guesses, codes: codes, limits: limits)
    let emailCode = EmailCodeMethod(
        sessions: sessions, challenges: challenges, guesses: guesses, addresses: addressStep, codes: codeStep,
        mail: mail, delay: delay, completion: completion, limits: limits,
        page: EmailCodePage(pages: pages, script: script), clock: clock,
        clientName: settings.clients.name,
        reply: { challenge, flow in reply.map { EmailReplyMethod.offer($0, challenge, flow) } })
    let emailLinkMethod = EmailLinkMethod(
        sessions: sessions, challenges: challenges, guesses: guesses, devices: devices, codes: codes, link: emailLink,
        cookie: EmailLinkCookie(link: emailLink, origin: settings.publicURL), completion: completion, limits: limits,
        page: EmailLinkPage(pages: pages, script: script), clock: clock, clientName: settings.clients.name)
    let emailReply = EmailReplyMethod(
        sessions: sessions, challenges: challenges, completion: completion, limits: limits, clients: settings.clients,
        events: ReplyEvents(
            sessions: sessions, challenges: challenges, completion: completion, shutdown: shutdown),
        pages: pages, clock: clock)
    let methods: [any SignInMethod] =
        [emailCode, emailLinkMethod] + (reply == nil ? [] : [emailReply]) + additions.methods(sessions, completion)

    let handoffs = HandoffStore(database: database, clock: clock, sessions: sessions.store, eligibility: eligibility)
    let handoff = HandoffRoutes(
        apps: settings.nativeApps, starts: methods.compactMap(\.nativeStart), sessions: sessions, accounts: accounts,
        store: handoffs, randomness: randomness,
        pages: HandoffPages(
            pages: pages, startScript: assets.path(of: "native.js"), continueScript: assets.path(of: "continue.js"),
            formScript: script))

    let mailWorker = MailQueueWorker(
        queue: mail, templates: mailTemplates, mailer: services.mailer, from: settings.mailFrom,
        issuer: settings.publicURL, delay: delay, clock: clock, logger: services.logger)

    let router = WebRouter.router(
        VisitorContext.self, origin: settings.publicURL, pages: pages, assets: assets, database: database,
        clock: clock, addresses: settings.trustedProxies, shutdown: shutdown,
        jsonPaths: [SSOPath.verify, InboundMailRoutes.path, "/api/"],
        pathsWithTokens: ["\(EmailLink.path)/", HandoffSignIn.path])
    let association = AssociationFiles(
        apple: settings.appleAssociation, android: settings.androidAssociation, logger: services.logger)
    AssociationRoutes(files: association).add(to: router)
    NativeRoutes(pages: pages, paths: .idp).add(to: router)
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
    if let inbound = settings.inboundMail, let secret = inbound.secret {
        InboundMailRoutes(
            secret: secret,
            receiver: ReplyReceiver(inbound, keys: settings.keys, challenges: challenges, guesses: guesses),
            addresses: settings.trustedProxies,
            badSignatures: NetworkLimit(settings.limits.badSignatures, per: .minutes(1), clock: clock),
            proven: ProvenNetworks(clock: clock)
        ).add(to: router)
    }
    if settings.showsMailbox, let outbox = services.mailer as? OutboxMailer {
        MailboxRoutes(outbox: outbox, dev: services.devPages, pages: pages).add(to: router)
    }

    let authorize = AuthorizeRoutes(
        clients: settings.clients, sessions: sessions, accounts: accounts, tokens: tokens, database: database,
        clock: clock, randomness: randomness,
        page: try CompletionPage(pages: pages, logos: logos, script: assets.path(of: "continue.js")))
    authorize.addAuthorize(to: router)
    let authentication = APIAuthentication(tokens: accessTokens, accounts: accounts)
    APIRoutes(
        signIn: SignInAPI(
            addresses: addressStep, codes: codeStep, completion: completion, limits: limits,
            keys: ChallengeKey(keys: settings.keys, label: SignInAPI.keyLabel), pages: pages, database: database,
            clock: clock, randomness: randomness),
        session: SessionAPI(
            authentication: authentication, sessions: sessions, devices: appDevices, clock: clock),
        devices: DevicesAPI(authentication: authentication, devices: appDevices, pages: pages), sessions: sessions
    ).add(to: router)

    // Routes below have the browser's session.
    router.add(middleware: SessionMiddleware(sessions))
    authorize.addComplete(to: router)
    CancelRoutes(clients: settings.clients, sessions: sessions, clock: clock, cancelHandoff: handoff.cancel)
        .add(to: router)
    handoff.add(to: router)
    HandoffSignIn(sessions: sessions, slots: slots, store: handoffs, accessTokens: accessTokens).add(to: router)
    AccountChoice(
        sessions: sessions, slots: slots, accounts: accounts, accessTokens: accessTokens, clients: settings.clients,
        logos: logos, clock: clock, pages: pages, script: script
    ).add(to: router)
    HomeRoutes(
        sessions: sessions, accounts: accounts, tokens: tokens, devices: appDevices, clients: settings.clients,
        page: HomePage(pages: pages, logos: logos)
    ).add(to: router)
    AppDeviceRoutes(sessions: sessions, accounts: accounts, devices: appDevices).add(to: router)
    SignOutRoutes(
        sessions: sessions, accounts: accounts, tokens: tokens, devices: appDevices, clients: settings.clients,
        logos: logos, pages: pages,
        list: SealedBox(keys: settings.keys, label: SignOutRoutes.label, randomness: randomness)
    ).add(to: router)
    SignInRoutes(
        sessions: sessions, completion: completion,
        page: SignInPage(
            pages: pages, sessions: sessions, clients: settings.clients, methods: methods, script: script),
        submitAddress: emailCode.submitAddress
    ).add(to: router)
    for method in methods { method.addRoutes(to: router) }
    DeviceRoutes(
        sessions: sessions, devices: devices, link: link, challenges: challenges, pages: pages, clock: clock
    ).add(to: router)

    inspect(router)
    let endAlarm: PurgeService.Purge = { [logger = services.logger] _ in
        if try await guesses.endAlarm() { logger.notice("guess_alarm_ended") }
        return 0
    }
    let purge = PurgeService(
        every: .minutes(1), clock: clock, logger: services.logger, newest: sessions.store.newestRow,
        [
            endAlarm, sessions.store.purge, TokenPurge(database: database, clock: clock).purge, challenges.purge,
            guesses.purge, mail.purge, devices.store.purge, handoffs.purge, accessTokens.purge,
        ])
    return WebServer.application(
        router: router,
        listen: settings.listen, addresses: settings.trustedProxies, shutdown: shutdown, logger: services.logger,
        services: [mailWorker, purge, ClockWatch(clock, logger: services.logger), ReloadService(association.reload)],
        started: started)
}
