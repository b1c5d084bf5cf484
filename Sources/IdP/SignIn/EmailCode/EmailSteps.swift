import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPMail
import Logging
import SSOShared
import SSOWeb
import Storage

/// The first step of a sign-in by email: an address, for which a challenge begins and an email is queued.
///
/// Pages and the JSON API both take it, so they have the same limits, and run the same statements for every address.
package struct AddressStep: Sendable {
    let challenges: ChallengeStore
    let knownBrowsers: KnownBrowsers
    let limits: SignInLimits
    /// ``Places/name(of:)`` of a request.
    let place: @Sendable (Request, VisitorContext) -> String?

    /// An address that was counted and may begin a challenge.
    struct Asked: Sendable {
        let address: EmailAddress
        let requester: EmailRequester
        let device: DeviceKind
        let place: String?
        let language: Language
        /// The flow as the log calls it; nil without one.
        let logFlow: String?
        let audit: RequestAudit?
        var typed: TypedAddress? { audit?.typed(address) }
    }

    /// Counts a submitted address.
    ///
    /// - Parameters:
    ///   - logFlow: the flow that it is for, as the log calls it.
    ///   - invited: the browser, where an invitation to this address has just made it known.
    /// - Returns: nil for text that is not an email address.
    /// - Throws: ``PublicError`` 429 beyond the limits per network.
    func count(
        _ text: String, _ request: Request, _ context: VisitorContext, logFlow: String?, invited: InvitedBrowser? = nil
    ) async throws -> Asked? {
        guard let address = try? Entered.address(text) else {
            try await limits.countEmailPost(request, context, browserID: nil)
            return nil
        }
        let cookie = try await knownBrowsers.known(request, for: address)
        let known = invited?.id ?? cookie
        let counted = invited?.countedFor ?? known
        do { try await limits.countEmailPost(request, context, browserID: counted) } catch let error as PublicError {
            let typed = context.audit?.typed(address)
            context.record(CodeEmail.notSent(.networkLimit).event(typed, account: nil, flow: logFlow))
            throw error.logged
        }
        return Asked(
            address: address,
            requester: EmailRequester(
                browserID: known, network: limits.network(request, context)),
            device: DeviceKind(userAgent: request.headers[.userAgent]), place: place(request, context),
            language: .preferred(by: request), logFlow: logFlow, audit: context.audit)
    }

    /// When the next email may go to a mailbox; nil for now.
    ///
    /// - Parameter browserID: the known browser that asks; nil for an unknown one.
    func nextEmail(
        to mailbox: String, browserID: String?, _ request: Request, _ context: VisitorContext
    ) async throws -> Timestamp? {
        try await challenges.mail.nextAllowed(
            for: mailbox, EmailRequester(browserID: browserID, network: limits.network(request, context)))
    }

    /// Begins a challenge, or continues the one that is held, in the caller's transaction: no email is sent whose code fits no
    /// browser.
    ///
    /// - Parameter flow: as ``Challenge/flow``.
    func begin(
        _ asked: Asked, held: BrowserChallenges.Entry?, flow: String?, service: String?, _ connection: any SQLConnection
    ) throws -> (entry: BrowserChallenges.Entry, expiresAt: Timestamp) {
        let begun = try challenges.begin(
            CodeRequest(
                address: asked.address, requester: asked.requester, flow: flow, logFlow: asked.logFlow,
                service: service, device: asked.device, place: asked.place, language: asked.language),
            held: held, connection)
        try asked.audit?.record(
            begun.email.event(asked.typed, account: begun.account, flow: asked.logFlow), connection)
        return (begun.entry, begun.expiresAt)
    }
}

/// The second step of a sign-in by email: a typed code, counted before it is compared.
///
/// Pages and the JSON API both take it, so a code that is guessed at through one of them is used up for the other.
package struct CodeStep: Sendable {
    /// The ``SignInMethod/id`` of sign-ins with a code.
    static let method = "email_code"

    let challenges: ChallengeStore
    let guesses: GuessStore
    let codes: EmailCode
    let limits: SignInLimits

    /// Why a code was not accepted. The raw values are stable: the log has them as `reason`.
    enum CodeError: String, Sendable, CaseIterable {
        case wrong
        /// Used, expired, unknown, or five wrong codes.
        case ended = "expired"
        /// No email with this code can have been sent.
        case notSent = "email_not_sent"
        /// Typing codes is paused for this address or browser.
        case paused

        /// - Parameters:
        ///   - challenge: as it is after the guess.
        ///   - account: the id of its address's account, if there is one.
        func event(_ challenge: Challenge, account: String?, flow: String?, _ context: VisitorContext) -> Event {
            let isGuess = self == .wrong || self == .ended
            var event = Event(
                .codeRejected, by: .visitor, session: context.session?.handle, flow: flow,
                cause: isGuess && !challenge.isUsed && challenge.isUsedUp ? Self.usedUp : rawValue,
                detail: challenge.id, ["tries_left": .number(max(0, Challenge.maximumTries - challenge.tries))])
            event.address = (try? EmailAddress(challenge.address)).flatMap { context.audit?.typed($0) }
            event.further["account"] = account.map { "\($0)" }
            return event
        }

        /// What the log says of a challenge that has ended by five wrong codes.
        static let usedUp = "used_up"
    }

    enum Outcome<Done: Sendable>: Sendable {
        case done(Done)
        case rejected(CodeError)
    }

    /// The code of a challenge while it can be typed.
    func typable(_ challenge: Challenge) async throws -> String? {
        guard !challenge.isUsedUp, try await guesses.pausedUntil(challenge) == nil else { return nil }
        return codes.code(of: challenge)
    }

    /// Signs in with a code.
    ///
    /// - Parameters:
    ///   - beganSession: whether the sign-in page began a session, which was counted.
    ///   - signIn: signs the identity in and consumes the proof in the same transaction; nil when another request was faster.
    func guess<Done: Sendable>(
        _ code: String, challenge id: String, _ request: Request, _ context: VisitorContext, beganSession: Bool = true,
        signIn: (ProvenIdentity, @escaping @Sendable (any SQLConnection) throws -> Bool) async throws -> Done?
    ) async throws -> Outcome<Done> {
        switch try await guesses.count(guessOn: id, context.logger) {
        case .compare(let counted, let guessID):
            guard codes.matches(code, counted) else { return .rejected(.wrong) }
            let identity = ProvenIdentity.email(try EmailAddress(counted.address))
            if let done = try await signIn(identity, { try challenges.succeed(counted, guessID: guessID, $0) }) {
                await limits.giveBack(request, context, browserID: counted.browserID, beganSession: beganSession)
                return .done(done)
            }
            // Right, but too late: the same code again, or one that was used meanwhile. It was not a guess.
            try await guesses.takeBack(guessID)
            return .rejected(.wrong)
        case .notSent: return .rejected(.notSent)
        case .ended: return .rejected(.ended)
        case .paused: return .rejected(.paused)
        }
    }
}
