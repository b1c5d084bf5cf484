import HTTPTypes
package import Hummingbird
import IdPAccounts
import IdPClients
package import IdPFlow
import IdPMail
import Logging
import SSOShared
import SSOWeb
import Storage

/// The sign-in method "email code": the visitor names an address, gets an email with six digits and types them.
package struct EmailCodeMethod: SignInMethod {
    package let id = CodeStep.method
    package let registeredValues = ["otp"]
    static let path = SignInPath.code

    let sessions: Sessions
    let addresses: AddressStep
    let codes: CodeStep
    let delay: MailDelay
    let completion: SignInCompletion
    let page: EmailCodePage
    let clock: ServiceClock
    /// The name of the provider that a challenge adds to its account; nil for none.
    let addedProvider: @Sendable (Session, Challenge) -> String?

    private var challenges: ChallengeStore { codes.challenges }
    private var limits: SignInLimits { codes.limits }

    package func addRoutes(to router: inout FeatureRouter) {
        let form = Form(
            about: subject, orElse: { .init(label: Text("code.back"), href: FlowID.path(Self.path, $0.flow)) },
            submit: submit)
        router.form(at: Self.path, show: show, form)
    }

    package func options(for attempt: SignInAttempt) -> [SignInOption] {
        [.emailField(hint: Text("sign-in.hint"), button: Text("sign-in.button"))]
            + (attempt.hasLostCode ? [.note(Text("sign-in.lost-code"))] : [])
    }

    /// For all three methods of the email.
    package func nativeStart(_ name: String) -> NativeStart? {
        guard name == "email" else { return nil }
        return NativeStart(name: name) { flow, _, _, _ in .redirect(to: SignInPath.signIn(flow)) }
    }

    /// The first step, `POST /sign-in`: the address. The answer, cookies and work are the same whether or not it may sign
    /// in (docs/architecture.md, "no account enumeration").
    ///
    /// - Returns: nil for text that is not an email address.
    @Sendable package func submitAddress(_ submitted: SubmittedAddress) async throws -> Response? {
        let (request, context) = (submitted.request, submitted.context)
        let logFlow = submitted.session[Flows.self].logID(submitted.flow)
        let invited = try await withBudget(submitted.invited, submitted)
        let counted = try await addresses.count(submitted.text, request, context, logFlow: logFlow, invited: invited)
        guard let asked = counted else { return nil }
        // In one transaction with the challenge, so that no email is sent whose code fits no browser.
        let session = submitted.session
        let remembers = try RememberChoice.isTicked(in: submitted.fields)
        let keeps = session[CurrentSignIn.self].signIn != nil && session.slots.needsNewSignIn(submitted.flow)
        let fresh = try await sessions.store.storeFirstStep(of: session, keepsSession: keeps) { slots, connection in
            let earlier =
                try slots[BrowserChallenges.self].held(for: asked.address)
                ?? invited.flatMap { try challenges.shared(by: $0.id, asked.address, connection) }
            let waiting = slots[PendingIdentity.self]
            let agrees = submitted.confirmsIdentity && waiting.isWaiting(for: asked.address)
            // An agreement begins a challenge of its own: an email that was asked for without one must not add a provider.
            let held = earlier.flatMap { agrees && !waiting.isConfirmed(with: $0.id) ? nil : $0 }
            let begun = try addresses.begin(
                asked, held: held, flow: submitted.flow?.text, service: submitted.clientName, connection)
            var entry = begun.entry
            entry.isShared = held?.id == entry.id ? held?.isShared : nil
            entry.remembers = remembers ? true : nil
            slots[BrowserChallenges.self].keep(entry)
            if agrees {
                slots[PendingIdentity.self].confirm(with: begun.entry.id)
            } else {
                slots[PendingIdentity.self] = PendingIdentity()
            }
            slots[BrowserAbilities.self].note(submitted.fields)
            if !keeps { slots[CurrentSignIn.self] = CurrentSignIn() }
        }
        var response = Response.redirect(to: FlowID.path(Self.path, submitted.flow))
        // Without a new session the same form, sent twice, was faster: the browser has its session from that answer.
        if let fresh { sessions.remember(fresh, in: &response) }
        return response
    }

    /// All browsers of an invitation share one challenge and one budget of emails, so that scanners which press its button cost the
    /// user nothing, and the mailbox little. Once the budget is used up they are unknown browsers.
    private func withBudget(
        _ invited: InvitedBrowser?, _ submitted: SubmittedAddress
    ) async throws -> InvitedBrowser? {
        guard let invited, let address = try? Entered.address(submitted.text) else { return nil }
        let next = try await addresses.nextEmail(
            to: address.budgetKey, browserID: invited.id, submitted.request, submitted.context)
        if next == nil { return invited }
        let shared = try await challenges.database.read { try challenges.shared(by: invited.id, address, $0) }
        return shared == nil ? nil : invited
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        // The address of a form that was wrong names no flow.
        let held = context.session?[BrowserChallenges.self].current?.flow.flatMap(FlowID.init)
        let flow = FlowID.read(request.queryFields) ?? context.session?[Flows.self].pending(held, now: clock.now())?.id
        if let done = try await completion.alreadySignedIn(request, context, flow: flow) { return done }
        guard let session = context.session, let challenge = try await challenge(of: session) else {
            let next = completion.pathAfterFirstStep(context.session, flow, hasCode: holdsChallenge(context.session))
            return .redirect(to: next)
        }
        return try await answer(request, context, session, challenge, flow: flow, error: nil)
    }

    @Sendable private func subject(of post: FormPost) async throws -> FormSubject<Challenge> {
        if let done = try await completion.alreadySignedIn(post.request, post.context, flow: post.flow) {
            return .over(done)
        }
        // Without the first step there is nothing to guess (ASVS 2.3.1).
        guard let session = post.context.session, let challenge = try await challenge(of: session) else {
            let hasCode = post.isOutrun || holdsChallenge(post.context.session)
            return .over(
                .redirect(to: completion.pathAfterFirstStep(post.context.session, post.flow, hasCode: hasCode)))
        }
        return .open(challenge)
    }

    @Sendable private func submit(_ form: SubmittedForm, _ challenge: Challenge) async throws -> Response {
        let (request, context, session, flow) = (form.request, form.context, form.session, form.flow)
        let text = try form.fields.text("code") ?? ""
        let typed = EmailCode.normalised(text)
        let remembers = try RememberChoice.isTicked(in: form.fields)
        // An empty form is no guess: scanners that press every button of an invitation must not use up its user's posts.
        if challenge.browserID == nil || typed != nil {
            try limits.countCodePost(request, context, browserID: challenge.browserID)
        }
        guard let code = typed else {
            return try await answer(
                request, context, session, challenge, flow: flow, error: EmailCode.inputError(text),
                remembers: remembers)
        }
        return try await guess(code, session, challenge, flow: flow, remembers: remembers, request, context)
    }

    private func guess(
        _ code: String, _ session: Session, _ challenge: Challenge, flow: FlowID?, remembers: Bool,
        _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let outcome = try await codes.guess(code, challenge: challenge.id, request, context) { identity, proof in
            try await completion.finish(
                ProvenSignIn(
                    identity, method: id, challenge: challenge.id, flow: flow, remembers: remembers, consuming: proof),
                session, request, context)
        }
        let reason: CodeStep.CodeError
        switch outcome {
        case .done(let response): return response
        case .rejected(let rejection): reason = rejection
        }
        if reason == .wrong || reason == .ended, try await isReplaced(session) {
            return .redirect(to: SignInPath.signIn(flow))
        }
        // Read again after each wrong code, so that the page shows the end of the code and the pause as soon as they begin.
        let (now, account) = try await challenges.findForLog(challenge.id) ?? (challenge, nil)
        context.record(reason.event(now, account: account, flow: session[Flows.self].logID(flow), context))
        return try await answer(
            request, context, session, now, flow: flow, error: .rejected(reason), remembers: remembers)
    }

    /// Whether another request, such as the first half of a double click, has replaced the session. The browser's next
    /// request carries the new cookie.
    private func isReplaced(_ session: Session) async throws -> Bool {
        try await !sessions.store.isAlive(session)
    }

    private func holdsChallenge(_ session: Session?) -> Bool { session?[BrowserChallenges.self].current != nil }

    private func challenge(of session: Session) async throws -> Challenge? {
        guard let held = session[BrowserChallenges.self].current else { return nil }
        return try await challenges.find(held.id)
    }

    private func answer(
        _ request: Request, _ context: VisitorContext, _ session: Session, _ challenge: Challenge,
        flow: FlowID?, error: EmailCodePage.InputError?, remembers: Bool? = nil
    ) async throws -> Response {
        let now = clock.now()
        let pause = try await codes.guesses.pausedUntil(challenge)
        if let pause, error == nil { try await recordPause(until: pause, challenge, session, flow, context) }
        let key = (try? EmailAddress(challenge.address).budgetKey) ?? challenge.address
        let next = try await addresses.nextEmail(to: key, browserID: challenge.browserID, request, context)
        let entry = session[BrowserChallenges.self].current
        let facts = CodePageFacts(
            challenge: challenge, entry: entry, flow: flow,
            client: completion.purposes.name(of: flow, in: session), provider: addedProvider(session, challenge),
            reply: entry?.isShared == true ? nil : page.reply(challenge, flow), problem: error,
            remembers: remembers ?? (entry?.remembers == true), lifetime: sessions.store.lifetime,
            heldSince: delay.since(isKnownBrowser: challenge.browserID != nil),
            pause: pause.map { $0 - now }, wait: next.map { $0 - now }, now: now)
        return page.response(request, formToken: sessions.formToken(for: session), facts)
    }

    /// A paused page has no field, so no code is rejected: without this line the log would not say what its user sees.
    private func recordPause(
        until end: Timestamp, _ challenge: Challenge, _ session: Session, _ flow: FlowID?, _ context: VisitorContext
    ) async throws {
        var event = Event(
            .codesPaused, account: try await challenges.account(of: challenge), session: session.handle,
            flow: session[Flows.self].logID(flow), detail: challenge.id,
            ["ends_in_seconds": .number((end - clock.now()).secondsRoundedUp)])
        event.address = (try? EmailAddress(challenge.address)).flatMap { context.audit?.typed($0) }
        context.record(event)
    }
}
