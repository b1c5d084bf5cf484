import IdPAccountPages
import IdPApps
import IdPDirectory
import IdPFlow
import IdPMail
import IdPProtocols
import IdPProviders
import IdPSignIn
import SSOShared
import SSOWeb

/// How users sign in: every session slot, client protocol, purpose of a flow, sign-in method, second factor and email has
/// its line in one of these lists.
struct SignInWiring: Sendable {
    let slots: [any SessionSlot.Type]
    let protocols: [any ClientProtocol]
    let purposes: FlowPurposes
    let factors: [any SecondFactor]
    let completion: SignInCompletion
    let methods: [any SignInMethod]
    let mailTemplates: [any MailTemplate]

    let emailCode: EmailCodeMethod
    let addresses: AddressStep
    let codes: CodeStep
    let challenges: ChallengeStore
    let guesses: GuessStore
    let browserLink: BrowserLink
    let providerStart: ProviderStart
    let providerAttempts: ProviderAttemptStore

    init(_ parts: IdPComponents, adding additions: SignInAdditions) {
        let (settings, pages, script, clock) = (parts.settings, parts.pages, parts.script, parts.clock)
        slots =
            [
                Flows.self, PendingProviderAttempts.self, PendingIdentity.self, BrowserChallenges.self,
                CurrentSignIn.self, HalfSignIn.self,
            ] + additions.slots
        factors = additions.factors
        let sso = SSOProtocol(authorizer: parts.authorizer, page: parts.completionPage)
        protocols = [sso] + additions.protocols(parts.authorizer, parts.completionPage)
        purposes = FlowPurposes(
            first: sso,
            (protocols as [any FlowPurpose]) + [
                HandoffPurpose(apps: settings.nativeApps, store: parts.handoffs),
                AccountChangePurpose(sessions: parts.sessions),
            ])
        completion = SignInCompletion(
            sessions: parts.sessions, slots: slots, purposes: purposes, factors: factors, accounts: parts.accounts,
            knownBrowsers: parts.knownBrowsers, tokens: parts.accessTokens,
            hasProvider: { [providers = parts.providers] in providers.has(id: $0, issuer: $1) },
            changes: parts.changes,
            lastMethod: LastMethodCookie(origin: settings.publicURL), clock: clock)

        // What the methods that use email share.
        let code = EmailCode(keys: settings.keys)
        challenges = ChallengeStore(
            database: parts.database, clock: clock, randomness: parts.randomness,
            codeMAC: { code.mac(of: code.code(for: $0), challenge: $0) }, mailKind: EmailCodeMail.kind,
            eligibility: parts.eligibility, mail: parts.mail)
        guesses = GuessStore(database: parts.database, clock: clock, randomness: parts.randomness)
        addresses = AddressStep(challenges: challenges, knownBrowsers: parts.knownBrowsers, limits: parts.limits)
        codes = CodeStep(challenges: challenges, guesses: guesses, codes: code, limits: parts.limits)
        browserLink = BrowserLink(keys: settings.keys, origin: settings.publicURL, randomness: parts.randomness)
        let link = EmailLink(keys: settings.keys, origin: settings.publicURL)
        let reply = settings.inboundMail.map { EmailReply(keys: settings.keys, domain: $0.domain) }
        mailTemplates = [
            EmailCodeMail(
                challenge: challenges.findPending, pages: pages, codes: code, issuer: settings.publicURL,
                browserLink: BrowserLinkInvitation(link: browserLink, mail: parts.mail, guesses: guesses, clock: clock)
                    .url,
                signInLink: link.url, replyTo: { reply?.address(for: $0.id) }),
            AccountNoticeMail(database: parts.database, pages: pages, issuer: settings.publicURL),
        ]

        let addedProvider: @Sendable (Session, Challenge) -> String? = {
            [providers = parts.providers] session, challenge in
            session[PendingIdentity.self].provider(addedBy: challenge.id, now: clock.now())
                .map { providers.provider(id: $0)?.name ?? $0 }
        }
        emailCode = EmailCodeMethod(
            sessions: parts.sessions, challenges: challenges, guesses: guesses, addresses: addresses, codes: codes,
            mail: parts.mail, delay: parts.delay, completion: completion, limits: parts.limits,
            page: EmailCodePage(pages: pages, script: script), clock: clock, clientName: purposes.name,
            addedProvider: addedProvider,
            reply: { challenge, flow in reply.map { EmailReplyMethod.offer($0, challenge, flow) } })
        let emailLink = EmailLinkMethod(
            sessions: parts.sessions, challenges: challenges, guesses: guesses, knownBrowsers: parts.knownBrowsers,
            codes: code,
            link: link, cookie: EmailLinkCookie(link: link, origin: settings.publicURL), completion: completion,
            limits: parts.limits, page: EmailLinkPage(pages: pages, script: script), clock: clock,
            clientName: purposes.name, addedProvider: addedProvider)
        let emailReply = EmailReplyMethod(
            sessions: parts.sessions, challenges: challenges, completion: completion, limits: parts.limits,
            events: ReplyEvents(
                sessions: parts.sessions, challenges: challenges, completion: completion, shutdown: parts.shutdown),
            pages: pages)
        let provider = ProviderMethod(parts, completion: completion)
        (providerStart, providerAttempts) = (provider.start, provider.start.attempts)
        methods =
            [emailCode, emailLink] + (reply == nil ? [] : [emailReply]) + [provider]
            + additions.methods(parts.sessions, completion)
    }
}

extension ProviderMethod {
    fileprivate init(_ parts: IdPComponents, completion: SignInCompletion) {
        let (settings, clock, randomness) = (parts.settings, parts.clock, parts.randomness)
        let attempts = ProviderAttemptStore(database: parts.database, clock: clock)
        let keys = ProviderAttemptKeys(keys: settings.keys)
        let pages = ProviderPages(
            pages: parts.pages, continueScript: parts.assets.path(of: "continue.js"), formScript: parts.script)
        let signIn = ProviderSignIn(
            accounts: parts.accounts, sessions: parts.sessions, completion: completion,
            refreshTokens: parts.refreshTokens, newcomers: parts.limits.newcomers, clock: clock)
        self.init(
            providers: parts.providers,
            start: ProviderStart(
                providers: parts.providers, client: parts.providerClient, attempts: attempts, keys: keys,
                origin: settings.publicURL, sessions: parts.sessions, completion: completion, randomness: randomness,
                pages: pages),
            callback: ProviderCallback(
                providers: parts.providers, client: parts.providerClient, attempts: attempts,
                parked: ParkedAnswers(store: attempts, keys: settings.keys, randomness: randomness), keys: keys,
                origin: settings.publicURL, sessions: parts.sessions, completion: completion, limits: parts.limits,
                purposes: AttemptPurposes(
                    signIn: signIn,
                    link: ProviderAddition(
                        accounts: parts.accounts, sessions: parts.sessions, signIn: signIn,
                        providers: parts.providers, changes: parts.changes),
                    appIdentity: AppIdentityAttempts(
                        answers: AppIdentityAnswers(
                            identities: parts.appIdentities, apps: settings.nativeApps, randomness: randomness,
                            pages: parts.appIdentityPages), signIn: signIn))),
            knownAddress: KnownAddressRoutes(
                providers: parts.providers, sessions: parts.sessions, completion: completion, clock: clock,
                pages: pages),
            hasApps: !settings.nativeApps.all.isEmpty)
    }
}
