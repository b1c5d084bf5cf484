import HTTPTypes
import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// The web of the code: GET shows the form, POST signs in. No SQL.
struct EmailCodeRoutes: Sendable {
    static let path = "/sign-in/code"

    let sessions: Sessions<IdPSession>
    let challenges: ChallengeStore
    let guesses: EmailCodeStore
    let letters: LetterStore
    let delay: MailDelay
    let codes: EmailCode
    let completion: SignInCompletion
    let limits: SignInLimits
    let page: EmailCodePage
    let clock: ServiceClock

    func add(to router: Router<VisitorContext>) {
        router.form(at: "/sign-in/code", show: show, submit: submit)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let flow = FlowID.read(request.queryFields)
        if let done = try await completion.alreadySignedIn(context, flow: flow) { return done }
        guard let session = context.session, let challenge = try await challenge(of: session) else {
            return .redirect(to: FlowID.path("/sign-in", flow))
        }
        return try await form(request, context, session, challenge, flow: flow, error: nil)
    }

    @Sendable private func submit(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await request.formFields()
        let flow = FlowID.read(fields)
        if let done = try await completion.alreadySignedIn(context, flow: flow) { return done }
        // Without the first step there is nothing to guess at: back to the start (ASVS 2.3.1).
        guard let session = context.session, let challenge = try await challenge(of: session) else {
            return .redirect(to: FlowID.path("/sign-in", flow))
        }
        guard sessions.forms.accepts(request, fields: fields, seed: session.formSeed) else {
            throw PublicError.staleForm(
                .init(label: "Back to the code", href: FlowID.path(Self.path, flow)))
        }
        try limits.countCodePost(request, context, deviceID: challenge.deviceID)
        guard let code = EmailCode.normalised(try fields.text("code") ?? "") else {
            return try await form(request, context, session, challenge, flow: flow, error: .notSixDigits)
        }
        return try await guess(code, session, challenge, flow: flow, request, context)
    }

    private func guess(
        _ code: String, _ session: Session<IdPSession>, _ challenge: Challenge, flow: FlowID?,
        _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        switch try await guesses.count(guessOn: challenge.id) {
        case .compare(let counted, let guessID, let raisesAlarm):
            if raisesAlarm {
                context.logger.error(
                    "guess_alarm_raised",
                    metadata: ["message": "more than \(GuessAlarm.threshold) wrong codes within ten minutes"])
            }
            if codes.matches(code, counted) {
                if let done = try await completion.finish(
                    counted.address, method: "email_code", flow: flow, session, request, context,
                    proof: { try challenges.succeed(counted, guessID: guessID, $0) })
                {
                    limits.giveBack(request, context, deviceID: counted.deviceID)
                    return done
                }
                // Right, and too late: the same code again, or one that was used meanwhile. Nobody has guessed.
                try await guesses.takeBack(guessID)
            }
            if try await isReplaced(session) { return .redirect(to: FlowID.path("/sign-in", flow)) }
            log("code refused", context, challenge, session, flow)
            return try await form(request, context, session, challenge, flow: flow, error: .wrong)
        case .notSent:
            log("code_refused", context, challenge, session, flow, reason: "email_not_sent")
            return try await form(request, context, session, challenge, flow: flow, error: .notSent)
        case .dead:
            if try await isReplaced(session) { return .redirect(to: FlowID.path("/sign-in", flow)) }
            log("code refused, challenge is over", context, challenge, session, flow)
            return try await form(request, context, session, challenge, flow: flow, error: .wrong)
        case .paused:
            log("code refused, account pauses", context, challenge, session, flow)
            return try await form(request, context, session, challenge, flow: flow, error: .refused)
        }
    }

    /// The second half of a double click, overtaken by the first: what follows carries the new cookie, and goes on.
    private func isReplaced(_ session: Session<IdPSession>) async throws -> Bool {
        try await !sessions.store.isAlive(session)
    }

    private func challenge(of session: Session<IdPSession>) async throws -> Challenge? {
        guard let held = session.slots.challenges.current else { return nil }
        return try await challenges.find(held.id)
    }

    private func form(
        _ request: Request, _ context: VisitorContext, _ session: Session<IdPSession>, _ challenge: Challenge,
        flow: FlowID?, error: EmailCodePage.Fault?
    ) async throws -> Response {
        let now = clock.now()
        // Also after a wrong code: the page with the twentieth says at once that another is in vain.
        let pause = try await guesses.pausedUntil(challenge)
        let requester = EmailRequester(deviceID: challenge.deviceID, network: limits.network(request, context))
        let key = (try? LetterAddress(challenge.address).budgetKey) ?? challenge.address
        let next = try await letters.nextAllowed(for: key, requester)
        return page.response(
            formToken: sessions.formToken(for: session), address: challenge.address, flow: flow, fault: error,
            letterAt: session.slots.challenges.current?.letterAt, isDelayed: delay.isDelayed,
            isKnown: challenge.deviceID != nil,
            pause: pause.map { $0 - now }, wait: next.map { $0 - now }, now: now)
    }

    private func log(
        _ event: Logger.Message, _ context: VisitorContext, _ challenge: Challenge, _ session: Session<IdPSession>,
        _ flow: FlowID?, reason: String? = nil
    ) {
        var metadata: Logger.Metadata = [
            "challenge": "\(challenge.id)", "session": "\(session.handle)",
            "flow": "\(session.slots.sso.nameInLog(flow))",
        ]
        if let reason { metadata["reason"] = "\(reason)" }
        context.logger.notice(event, metadata: metadata)
    }
}
