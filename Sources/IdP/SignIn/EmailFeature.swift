package import IdPFlow
package import IdPMail
package import IdPProviders
import Logging
import SSOShared
package import SSOWeb

/// Sign-in by email: the code, the link and the reply, which share one email, and the page `/sign-in` with the field for the
/// address. Where no email is sent, the page alone is left.
package struct EmailFeature: Feature {
    private let parts: SharedParts
    private let providers: ProviderRegistry
    private let inboundMail: InboundMailSettings?

    private let code: EmailCode
    private let link: EmailLink
    private let reply: EmailReply?
    private let browserLink: BrowserLink
    private let challenges: ChallengeStore
    private let guesses: GuessStore

    package static let settings: [any ReadableSetting] = [InboundMailSettings.setting]

    package init(_ parts: SharedParts, _ values: SettingValues, providers: ProviderRegistry) throws(SettingError) {
        (self.parts, self.providers) = (parts, providers)
        let inboundMail = try values[InboundMailSettings.setting].settings
        self.inboundMail = inboundMail
        let (keys, clock, randomness) = (parts.keys, parts.clock, parts.randomness)
        let code = EmailCode(keys: keys)
        self.code = code
        link = EmailLink(keys: keys, origin: parts.origin)
        reply = inboundMail.map { EmailReply(keys: keys, domain: $0.domain) }
        browserLink = BrowserLink(keys: keys, origin: parts.origin, randomness: randomness)
        challenges = ChallengeStore(
            database: parts.database, clock: clock, randomness: randomness,
            codeMAC: { code.mac(of: code.code(for: $0), challenge: $0) }, mailKind: EmailCodeMail.kind,
            eligibility: parts.eligibility, mail: parts.mail,
            besides: { [mail = parts.mail] in try BrowserLinkMail.enqueue($0, in: mail, $1) })
        guesses = GuessStore(database: parts.database, clock: clock, randomness: randomness)
    }

    package var slots: [any SessionSlot.Type] { [BrowserChallenges.self] }

    private var isOn: Bool { parts.hasMail }

    package var mail: [any MailTemplate] {
        [
            EmailCodeMail(
                challenge: challenges.findPending, account: challenges.account, pages: parts.pages,
                codes: code, issuer: parts.origin, signInLink: { [link] in $0.isOfApp ? nil : link.url(for: $0) },
                replyTo: { [reply] in $0.isOfApp ? nil : reply?.address(for: $0.id) }),
            BrowserLinkMail(
                challenge: challenges.find, account: challenges.account, link: browserLink, pages: parts.pages,
                issuer: parts.origin, clock: parts.clock),
        ]
    }

    package var purges: [PurgeService.Purge] {
        let endAlarm: PurgeService.Purge = { [logger = parts.logger, guesses] _ in
            try await guesses.endAlarm(logger)
            return 0
        }
        return [endAlarm, challenges.purge, guesses.purge, parts.mail.purge]
    }

    package var appPaths: [PathConfiguration.Rule] { [.tree(SignInPath.signIn, .modal)] }

    package func methods(_ completion: SignInCompletion) -> [any SignInMethod] {
        guard isOn else { return [] }
        return [codeMethod(completion), linkMethod(completion)] + (reply == nil ? [] : [replyMethod(completion)])
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        SignInRoutes(
            sessions: parts.sessions, completion: completion,
            page: SignInPage(parts, completion, methods),
            submitAddress: isOn ? codeMethod(completion).submitAddress : nil
        ).addRoutes(to: &router)
        SignInAPI(parts, addresses: addresses, codes: codes, completion: completion).addRoutes(to: &router)
        if isOn { addMailRoutes(to: &router) } else { router.noSignedPost(at: InboundMailRoutes.path) }
    }

    /// What an email leads to.
    private func addMailRoutes(to router: inout FeatureRouter) {
        BrowserLinkRoutes(
            sessions: parts.sessions, knownBrowsers: parts.knownBrowsers, link: browserLink, challenges: challenges,
            cookie: BrowserCookie(name: "idp_browser", origin: parts.origin, maximumAge: .minutes(10)),
            pages: parts.pages, clock: parts.clock
        ).addRoutes(to: &router)
        guard let inboundMail, let secret = inboundMail.secret else {
            return router.noSignedPost(at: InboundMailRoutes.path)
        }
        InboundMailRoutes(
            secret: secret,
            receiver: ReplyReceiver(inboundMail, keys: parts.keys, challenges: challenges, guesses: guesses),
            networks: parts.signerNetworks()
        ).addRoutes(to: &router)
    }

    /// The first step of a sign-in by email, for an address that another page has; nil where no email is sent.
    package func submitAddress(_ completion: SignInCompletion) -> InvitationFeature.SubmitAddress? {
        isOn ? codeMethod(completion).submitAddress : nil
    }

    // MARK: The methods

    private var addresses: AddressStep {
        AddressStep(
            challenges: challenges, knownBrowsers: parts.knownBrowsers, limits: parts.limits, place: parts.place)
    }

    private var codes: CodeStep {
        CodeStep(challenges: challenges, guesses: guesses, codes: code, limits: parts.limits)
    }

    private func codeMethod(_ completion: SignInCompletion) -> EmailCodeMethod {
        EmailCodeMethod(
            sessions: parts.sessions, addresses: addresses, codes: codes, delay: parts.mailDelay,
            completion: completion,
            page: EmailCodePage(
                pages: parts.pages,
                reply: { [reply] challenge, flow in reply.map { EmailReplyMethod.offer($0, challenge, flow) } }),
            clock: parts.clock, addedProvider: addedProvider)
    }

    private func linkMethod(_ completion: SignInCompletion) -> EmailLinkMethod {
        EmailLinkMethod(
            sessions: parts.sessions, knownBrowsers: parts.knownBrowsers, codes: codes,
            cookie: EmailLinkCookie(link: link, origin: parts.origin), completion: completion,
            page: EmailLinkPage(pages: parts.pages, lifetime: parts.sessions.store.lifetime),
            clock: parts.clock, addedProvider: addedProvider)
    }

    private func replyMethod(_ completion: SignInCompletion) -> EmailReplyMethod {
        EmailReplyMethod(
            sessions: parts.sessions, challenges: challenges, completion: completion, limits: parts.limits,
            events: ReplyEvents(
                sessions: parts.sessions, challenges: challenges, completion: completion, shutdown: parts.shutdown),
            pages: parts.pages)
    }

    /// The name of the provider that a challenge adds to its account; nil for none.
    private var addedProvider: @Sendable (Session, Challenge) -> String? {
        { [providers, clock = parts.clock] session, challenge in
            session[PendingIdentity.self].provider(addedBy: challenge.id, now: clock.now())
                .map { providers.provider(id: $0)?.name ?? $0 }
        }
    }
}
