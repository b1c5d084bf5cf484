import Hummingbird
import IdPDirectory
package import IdPFlow
import Logging
import SSOShared
import SSOWeb
import Storage

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

    package init(challenges: ChallengeStore, guesses: GuessStore, codes: EmailCode, limits: SignInLimits) {
        (self.challenges, self.guesses, self.codes, self.limits) = (challenges, guesses, codes, limits)
    }

    /// Why a code was not accepted. The raw values are stable: the log has them as `reason`.
    enum CodeError: String, Sendable {
        case wrong
        /// Used, expired, unknown, or five wrong codes.
        case ended = "expired"
        /// No email with this code can have been sent.
        case notSent = "email_not_sent"
        /// Typing codes is paused for this address or browser.
        case paused

        func log(to logger: Logger, challenge: String, session: String, flow: String) {
            logger.notice(
                "code_rejected",
                metadata: [
                    "reason": "\(rawValue)", "challenge": "\(challenge)", "session": "\(session)", "flow": "\(flow)",
                ])
        }
    }

    enum Outcome<Done: Sendable>: Sendable {
        case done(Done)
        case rejected(CodeError)
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
        switch try await guesses.count(guessOn: id) {
        case .compare(let counted, let guessID, let raisesAlarm):
            if raisesAlarm { context.logger.guessAlarmRaised() }
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

extension Logger {
    /// Logs that guesses are spread over many accounts.
    func guessAlarmRaised() {
        error(
            "guess_alarm_raised",
            metadata: ["message": "more than \(GuessAlarm.threshold) wrong codes within ten minutes"])
    }
}
