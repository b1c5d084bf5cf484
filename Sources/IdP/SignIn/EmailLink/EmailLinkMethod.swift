import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
package import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// The sign-in method "email link": the visitor opens the link in the email and presses a button.
///
/// GET changes nothing, so mail scanners may fetch the link and run its scripts. It signs in only in the browser that asked,
/// or in a known one. Any other browser shows the code, to type where the sign-in began.
package struct EmailLinkMethod: SignInMethod {
    package let id = "email_link"

    let sessions: Sessions
    let knownBrowsers: KnownBrowsers
    /// The code of the same email, for a browser that must not sign in with the link.
    let codes: CodeStep
    let cookie: EmailLinkCookie
    let completion: SignInCompletion
    let page: EmailLinkPage
    let clock: ServiceClock
    /// The name of the provider that a challenge adds to its account; nil for none.
    let addedProvider: @Sendable (Session, Challenge) -> String?

    private var challenges: ChallengeStore { codes.challenges }
    private var limits: SignInLimits { codes.limits }

    package func addRoutes(to router: inout FeatureRouter) {
        router.page(at: "\(EmailLink.path)/:key", hasToken: true, use: keep)
        let form = Form(
            about: { post in
                // Another request, such as the first half of a double click, may have replaced the session. The browser's
                // next request carries the new cookie.
                post.context.session == nil ? .over(.redirect(to: EmailLink.path)) : .open(())
            },
            orElse: { _ in .init(label: Text("error.try-again"), href: EmailLink.path) },
            submit: { form, _ in try await submit(form) })
        router.form(at: EmailLink.path, show: show, form)
    }

    /// The email has the link. The sign-in page offers nothing else for it.
    package func options(for attempt: SignInAttempt) -> [SignInOption] { [] }

    /// Writes no row. A damaged key leads to the same page as one that has expired.
    @Sendable private func keep(_ request: Request, _ context: VisitorContext) async throws -> Response {
        cookie.taking(context.parameters.get("key") ?? "")
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        switch try await opened(request) {
        case .ended(let ending, let challenge):
            return try await ended(ending, challenge, request, context)
        case .pending(let challenge):
            return try await pending(challenge, request, context)
        }
    }

    private func submit(_ form: SubmittedForm) async throws -> Response {
        let (request, context, session) = (form.request, form.context, form.session)
        guard case .pending(let challenge) = try await opened(request) else {
            return try await show(request, context)
        }
        // Another tab has opened another link since. The button signs in what its own page names.
        guard try form.fields.text("challenge") == challenge.id else { return .redirect(to: EmailLink.path) }
        let browserID: String?
        switch try await place(of: challenge, request, context) {
        case .asking: browserID = challenge.browserID
        case .known(let id): browserID = id
        case .other: return .redirect(to: EmailLink.path)
        }
        try limits.countCodePost(request, context, browserID: browserID)
        let done = try await completion.finish(
            ProvenSignIn(
                .email(try EmailAddress(challenge.address)), method: id, challenge: challenge.id,
                flow: Self.flow(of: challenge, session), remembers: try RememberChoice.isTicked(in: form.fields),
                consuming: { try challenges.succeed(challenge, guessID: nil, $0) }), session, request, context)
        guard var done else {
            // Of several requests with this link or its code another one was faster.
            return try await sessions.store.isAlive(session)
                ? show(request, context) : .redirect(to: EmailLink.path)
        }
        await limits.giveBack(request, context, browserID: browserID)
        cookie.clear(in: &done)
        return done
    }

    // MARK: The link

    /// The link that a browser has opened.
    private enum Opened {
        case pending(Challenge)
        /// The challenge is nil where it is not known, or deleted.
        case ended(EmailLinkPage.Ending, Challenge?)
    }

    private func opened(_ request: Request) async throws -> Opened {
        switch cookie.content(of: request) {
        case .none: return .ended(.noCookie, nil)
        case .damaged: return .ended(.damaged, nil)
        case .key(let key):
            guard let challenge = try await challenges.find(key.challengeID) else { return .ended(.expired, nil) }
            if challenge.isUsed { return .ended(.used, challenge) }
            return challenge.canSucceed(at: clock.now()) ? .pending(challenge) : .ended(.expired, challenge)
        }
    }

    /// In which browser a link was opened.
    private enum Place {
        case asking
        /// Known for the address, and not the one that asked.
        case known(browserID: String)
        case other
    }

    private func place(of challenge: Challenge, _ request: Request, _ context: VisitorContext) async throws -> Place {
        if context.session?[BrowserChallenges.self].held(id: challenge.id) != nil { return .asking }
        let known = try await knownBrowsers.known(request, for: try? EmailAddress(challenge.address))
        return known.map(Place.known) ?? .other
    }

    /// The flow of a challenge if this session knows it. An ended one leads to the page that says where to start again.
    private static func flow(of challenge: Challenge?, _ session: Session?) -> FlowID? {
        guard let session, let flow = challenge?.flow.flatMap(FlowID.init) else { return nil }
        return session.known(flow)
    }

    // MARK: Pages

    private func pending(
        _ challenge: Challenge, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        switch try await place(of: challenge, request, context) {
        case .asking:
            guard let session = context.session else { return .redirect(to: EmailLink.path) }
            let flow = Self.flow(of: challenge, session)
            if let done = try await completion.alreadySignedIn(request, context, flow: flow) { return done }
            return page.button(
                request, formToken: sessions.formToken(for: session), challenge: challenge,
                service: completion.purposes.name(of: flow, in: session), adding: addedProvider(session, challenge),
                code: nil, remembers: session[BrowserChallenges.self].held(id: challenge.id)?.remembers == true)
        case .known:
            // Who is signed in here needs the code only, for the window where the sign-in began.
            if try await completion.accounts.signedIn(context)?.account.email == challenge.address { break }
            let session = try await sessions.current(request, context)
            var response = page.button(
                request, formToken: sessions.formToken(for: session), challenge: challenge, service: nil,
                adding: addedProvider(session, challenge), code: try await codes.typable(challenge))
            sessions.remember(session, in: &response)
            return response
        case .other: break
        }
        return page.code(request, challenge: challenge, code: try await codes.typable(challenge))
    }

    private func ended(
        _ ending: EmailLinkPage.Ending, _ challenge: Challenge?, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let session = context.session
        let asked = session?[BrowserChallenges.self]
        let held = challenge.map { asked?.held(id: $0.id) } ?? asked?.current
        if ending == .noCookie, held == nil {
            // Back after the sign-in: the cookie is gone, and the browser goes where the sign-in went.
            let flow = session?[CurrentSignIn.self].signIn?.flow.flatMap(FlowID.init)
            if let done = try await completion.alreadySignedIn(request, context, flow: flow) { return done }
        }
        // A damaged link names no challenge. For the browser that asked, the log names the one that it waits for.
        var begun = challenge
        if begun == nil, let held { begun = try await challenges.find(held.id) }
        try await recordRejection(ending, begun, context)
        // What is over leads nowhere any more: back to the client that began it.
        let flow = Self.flow(of: begun, session)
        let isOver = flow != nil && session?[Flows.self].pending(flow, now: clock.now()) == nil
        if isOver, let start = completion.purposes.wayBack(of: flow) {
            return page.ended(request, ending, context.reference, next: .client(start))
        }
        if let session, let held {
            return page.ended(
                request, ending, context.reference,
                next: .newEmail(
                    address: held.address, flow: flow, formToken: sessions.formToken(for: session)))
        }
        guard try await completion.accounts.signedIn(context) != nil else {
            return page.ended(request, ending, context.reference, next: .signIn)
        }
        let next = session.map {
            completion.purposes.destination(
                isOver ? nil : flow, in: $0.slots, isNativeShell: request.isFromNativeShell)
        }
        return page.ended(request, ending, context.reference, next: .goOn(path: next ?? "/"))
    }

    private func recordRejection(
        _ ending: EmailLinkPage.Ending, _ challenge: Challenge?, _ context: VisitorContext
    ) async throws {
        var event = Event(
            .linkRejected, by: .visitor, session: context.session?.handle, flow: challenge?.logFlow,
            cause: ending.rawValue, detail: challenge?.id)
        if let challenge {
            event.address = (try? EmailAddress(challenge.address)).flatMap { context.audit?.typed($0) }
            event.further["account"] = try await challenges.account(of: challenge).map { "\($0)" }
        }
        context.record(event)
    }
}

extension Challenge {
    /// Whether ``ChallengeStore/succeed(_:guessID:_:)`` would accept it now.
    fileprivate func canSucceed(at now: Timestamp) -> Bool {
        isEligible && !isUsed && expiresAt > now && createdAt <= now + ClockSkew.tolerated
    }
}
