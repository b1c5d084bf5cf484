import Hummingbird
import IdPAccountPages
import IdPApps
import IdPDirectory
import IdPFlow
import IdPMail
import IdPProtocols
import IdPProviders
import IdPSignIn
import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle
import WellKnown

/// Builds the IdP. With ``IdPComponents`` and ``SignInWiring`` the only files that name every feature.
///
/// - Parameters:
///   - additions: session slots, client protocols, second factors and sign-in methods beside the built-in ones.
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
    let parts = try IdPComponents(settings: settings, services: services, shutdown: shutdown)
    let signIn = SignInWiring(parts, adding: additions)
    let association = AssociationFiles(
        apple: settings.appleAssociation, android: settings.androidAssociation, logger: services.logger)
    let reload = ReloadService { [logger = services.logger, clients = parts.clients, providers = parts.providers] in
        logger.notice(
            "reload",
            metadata: [
                "message":
                    "reloading the clients file, the providers file and the association files; settings need a restart"
            ])
        clients.reload()
        association.reload()
        providers.reload()
    }

    let router = WebRouter.router(
        VisitorContext.self, origin: settings.publicURL, pages: parts.pages, assets: parts.assets,
        database: services.database, clock: services.clock, addresses: settings.trustedProxies, shutdown: shutdown,
        jsonPaths: [SSOPath.verify, InboundMailRoutes.path, AppleNotificationRoutes.path, "/api/"],
        pathsWithTokens: ["\(EmailLink.path)/", HandoffSignIn.path, "/auth/*/callback"])
    parts.addPublicFiles(association, to: router)
    parts.addBackChannel(signIn, to: router)
    for asking in signIn.protocols { asking.addRoutes(to: router) }
    parts.addAPI(signIn, to: router)
    // Routes below have the browser's session.
    router.add(middleware: SessionMiddleware(parts.sessions))
    for asking in signIn.protocols { asking.addResume(to: router) }
    parts.addHandoff(signIn, to: router)
    parts.addHome(signIn, to: router)
    parts.addSignIn(signIn, to: router)
    inspect(router)

    return WebServer.application(
        router: router,
        listen: settings.listen, addresses: settings.trustedProxies, shutdown: shutdown, logger: services.logger,
        services: parts.jobs(signIn) + [reload],
        started: started)
}

extension IdPComponents {
    /// Association files and path configuration, the same for every visitor, and the pages for a trial.
    fileprivate func addPublicFiles(_ association: AssociationFiles, to router: Router<VisitorContext>) {
        AssociationRoutes(files: association).add(to: router)
        logos.addRoutes(to: router)
        NativeRoutes(pages: pages, paths: .idp).add(to: router)
        if settings.linkTester {
            LinkTesterRoutes(
                files: association, dev: services.devPages, isForThisMachineOnly: settings.publicURL.isLoopback,
                page: LinkTesterPage(
                    pages: pages, origin: settings.publicURL, path: services.devPages.path(of: .links))
            ).add(to: router)
        }
        if settings.showsMailbox, let outbox = services.mailer as? OutboxMailer {
            MailboxRoutes(outbox: outbox, dev: services.devPages, pages: pages).add(to: router)
        }
    }

    /// Signed requests of other servers.
    fileprivate func addBackChannel(_ signIn: SignInWiring, to router: Router<VisitorContext>) {
        VerifyRoutes(
            signatures: SignatureCheck(clients: clients), grants: grants, idleLimit: sessions.store.lifetime.idle,
            networks: signerNetworks()
        ).add(to: router)
        AppleNotificationRoutes(
            providers: providers, client: providerClient, changes: AppleChanges(accounts: accounts, changes: changes),
            networks: signerNetworks()
        ).add(to: router)
        guard let inbound = settings.inboundMail, let secret = inbound.secret else { return }
        InboundMailRoutes(
            secret: secret,
            receiver: ReplyReceiver(
                inbound, keys: settings.keys, challenges: signIn.challenges, guesses: signIn.guesses),
            networks: signerNetworks()
        ).add(to: router)
    }

    /// The JSON API, for native screens.
    fileprivate func addAPI(_ signIn: SignInWiring, to router: Router<VisitorContext>) {
        let authentication = APIAuthentication(tokens: accessTokens, accounts: accounts)
        APIRoutes(
            addMethods: SignInAPI(
                addresses: signIn.addresses, codes: signIn.codes, completion: signIn.completion, limits: limits,
                keys: ChallengeKey(keys: settings.keys, label: SignInAPI.keyLabel), pages: pages, database: database,
                clock: clock, randomness: randomness
            ).add,
            session: SessionAPI(
                authentication: authentication, sessions: sessions, devices: appDevices, clock: clock),
            devices: DevicesAPI(authentication: authentication, devices: appDevices, pages: pages),
            identities: IdentitiesAPI(
                authentication: authentication, accounts: accounts, providers: providers, appIdentities: appIdentities,
                changes: changes, pages: pages, clock: clock, randomness: randomness),
            sessions: sessions
        ).add(to: router)
    }

    /// The sign-in of an app through the system browser, and the way back to an app or a client without one.
    fileprivate func addHandoff(_ signIn: SignInWiring, to router: Router<VisitorContext>) {
        HandoffRoutes(
            apps: settings.nativeApps,
            start: { [methods = signIn.methods] name in methods.lazy.compactMap { $0.nativeStart(name) }.first },
            link: AppIdentityStart(
                identities: appIdentities, providers: providers, sessions: sessions,
                begin: { [start = signIn.providerStart] provider, link, session, context in
                    try await start.begin(provider, .appIdentity(link), session, context)
                }, pages: appIdentityPages),
            sessions: sessions,
            accounts: accounts, store: handoffs, randomness: randomness,
            pages: HandoffPages(
                pages: pages, startScript: assets.path(of: "native.js"),
                continueScript: assets.path(of: "continue.js"), formScript: script)
        ).add(to: router)
        HandoffSignIn(sessions: sessions, slots: signIn.slots, store: handoffs, accessTokens: accessTokens)
            .add(to: router)
        CancelRoutes(purposes: signIn.purposes).add(to: router)
    }

    /// The user's own page, the apps on it, sign-out, and the choice of another account.
    fileprivate func addHome(_ signIn: SignInWiring, to router: Router<VisitorContext>) {
        HomeRoutes(
            sessions: sessions, accounts: accounts, grants: grants, devices: appDevices, clients: clients,
            identities: Identities(accounts: accounts, providers: providers),
            page: HomePage(pages: pages, logos: logos)
        ).add(to: router)
        addIdentities(signIn, to: router)
        AppDeviceRoutes(sessions: sessions, accounts: accounts, devices: appDevices).add(to: router)
        SignOutRoutes(
            sessions: sessions, accounts: accounts, grants: grants, devices: appDevices, clients: clients,
            logos: logos, pages: pages,
            list: SealedBox(keys: settings.keys, label: SignOutRoutes.label, randomness: randomness)
        ).add(to: router)
        AccountChoice(
            sessions: sessions, slots: signIn.slots, accounts: accounts, accessTokens: accessTokens,
            purposes: signIn.purposes, clients: clients, logos: logos, clock: clock, pages: pages, script: script
        ).add(to: router)
    }

    /// The changes of how a user signs in, from the home page on.
    private func addIdentities(_ signIn: SignInWiring, to router: Router<VisitorContext>) {
        IdentityRoutes(
            sessions: sessions, accounts: accounts,
            identities: Identities(accounts: accounts, providers: providers), providers: providers,
            beginAddition: { [start = signIn.providerStart] provider, account, session, context in
                try await start.begin(provider, .link(accountID: account), session, context)
            },
            removal: IdentityRemoval(
                accounts: accounts, sessions: sessions, accessTokens: accessTokens, changes: changes,
                revocation: IdentityRevocation(
                    providers: providers, refreshTokens: refreshTokens, revocation: providerClient), clock: clock),
            clock: clock, randomness: randomness, page: IdentityConfirmPage(pages: pages, script: script)
        ).add(to: router)
    }

    /// `/sign-in`, the methods below it, and the link that makes a browser known.
    fileprivate func addSignIn(_ signIn: SignInWiring, to router: Router<VisitorContext>) {
        SignInRoutes(
            sessions: sessions, completion: signIn.completion,
            page: SignInPage(
                pages: pages, sessions: sessions, purposes: signIn.purposes, methods: signIn.methods,
                lastMethod: signIn.completion.lastMethod, assets: assets, script: script),
            submitAddress: signIn.emailCode.submitAddress
        ).add(to: router)
        for method in signIn.methods { method.addRoutes(to: router) }
        for factor in signIn.factors { factor.addRoutes(to: router, signIn.completion) }
        BrowserLinkRoutes(
            sessions: sessions, knownBrowsers: knownBrowsers, link: signIn.browserLink, challenges: signIn.challenges,
            pages: pages, clock: clock
        ).add(to: router)
    }

    /// What runs beside the requests.
    fileprivate func jobs(_ signIn: SignInWiring) -> [any Service] {
        let worker = MailQueueWorker(
            queue: mail, templates: signIn.mailTemplates, mailer: services.mailer, from: settings.mailFrom,
            issuer: settings.publicURL, delay: delay, clock: clock, logger: services.logger)
        let endAlarm: PurgeService.Purge = { [logger = services.logger, guesses = signIn.guesses] _ in
            if try await guesses.endAlarm() { logger.notice("guess_alarm_ended") }
            return 0
        }
        let purge = PurgeService(
            every: .minutes(1), clock: clock, logger: services.logger, newest: sessions.store.newestRow,
            [
                endAlarm, sessions.store.purge, GrantPurge(database: database, clock: clock).purge,
                signIn.challenges.purge, signIn.guesses.purge, mail.purge, knownBrowsers.store.purge, handoffs.purge,
                accessTokens.purge, signIn.providerAttempts.purge, changes.purge, appIdentities.purge,
            ])
        return [worker, purge, ClockWatch(clock, logger: services.logger)]
    }
}
