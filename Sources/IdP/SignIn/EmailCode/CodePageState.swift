import IdPFlow
import SSOWeb

/// What the page with the field `code` depends on, beside the browser's session and language.
struct CodePageFacts: Sendable {
    let challenge: Challenge
    /// What the browser's session holds of the challenge.
    let entry: BrowserChallenges.Entry?
    let flow: FlowID?
    /// The name of the client that the flow belongs to.
    let client: String?
    /// The name of the provider that this sign-in adds to its account; nil for none.
    let provider: String?
    /// Nil where answers to the email are not received.
    let reply: EmailCodePage.ReplyOffer?
    let problem: EmailCodePage.InputError?
    /// Whether the user has ticked the box to stay signed in, with the last input.
    let remembers: Bool
    let lifetime: SessionLifetime
    /// Since when emails are held back, for every address; nil while they are not (``MailDelay``).
    let heldSince: Timestamp?
    /// For how long no code is accepted for this address; nil when codes are accepted.
    let pause: Duration?
    /// Until another email may be sent to this address.
    let wait: Duration?
    let now: Timestamp
}

/// What the page with the field `code` tells the user. ``CodePageFacts/state`` decides it, the page only writes it down.
enum CodePageState: Sendable, Equatable {
    /// A code can be right: the page has the field.
    case takesCode(Email, FieldError?)
    /// Too many wrong codes for this address.
    case paused(Duration)
    /// The budget of the address is used up: no email with this code is sent.
    case noEmail
    /// Five wrong codes, or the right one.
    case usedUp
    case expired

    /// What happens to the email with the code.
    enum Email: Sendable, Equatable {
        /// It is sent after this time.
        case deferred(Duration)
        /// It may still wait: emails are held back for everybody.
        case held
        case sent
        /// Within the last minute, because the user asked again.
        case sentAgain
        case sentAgo(minutes: Int)
    }

    /// What was wrong with the last input.
    enum FieldError: Sendable, Equatable {
        case notSixDigits, notSent
        case unseen(code: String, position: Int)
        /// The tries that are left, from the third wrong code on.
        case wrong(triesLeft: Int?)
    }

    var isDeferred: Bool { if case .takesCode(.deferred, _) = self { true } else { false } }
    var isHeld: Bool { if case .takesCode(.held, _) = self { true } else { false } }
    var isSentAgain: Bool { if case .takesCode(.sentAgain, _) = self { true } else { false } }
    /// Whether a limit of the address is reached, which others may have used up.
    var isAtLimit: Bool { if case .paused = self { true } else { self == .noEmail } }
    /// Whether only another code can be right.
    var needsNewCode: Bool { [.noEmail, .usedUp, .expired].contains(self) }

    /// What the button for another email counts down; nil when it works at once.
    ///
    /// - Parameter wait: until another email may be sent to this address.
    func countdown(_ wait: Duration?) -> Duration? {
        switch self {
        case .takesCode(.deferred(let rest), _): rest
        // A new code replaces one that has ended, and its email may wait for a minute. So the button works at once.
        case .usedUp, .expired: wait.flatMap { $0 <= .minutes(1) ? nil : $0 }
        case .takesCode, .paused, .noEmail: wait
        }
    }
}

extension CodePageFacts {
    var state: CodePageState {
        if let pause { return .paused(pause) }
        guard let emailAge else { return .noEmail }
        if challenge.isUsedUp { return .usedUp }
        if challenge.expiresAt <= now { return .expired }
        return .takesCode(email(ofAge: emailAge), fieldError)
    }

    /// Whether the link in an email that has left can still sign in.
    var hasLink: Bool {
        emailAge.map { $0 >= .zero } == true && !isHeld && !challenge.isUsed && challenge.expiresAt > now
    }

    /// Whether the email may still wait, also one that was sent before with the same code.
    private var isHeld: Bool {
        guard let heldSince, let due = entry?.emailAt else { return false }
        return due >= heldSince
    }

    /// How long ago the email left. Negative for one that is deferred, nil when no email is sent.
    private var emailAge: Duration? { entry?.emailAt.map { now - $0 } }

    private func email(ofAge age: Duration) -> CodePageState.Email {
        if isHeld { return .held }
        if age < .zero { return .deferred(Duration.zero - age) }
        if problem == nil, let again = entry?.sentAgainAt, now - again < .minutes(1) { return .sentAgain }
        return age < .minutes(1) ? .sent : .sentAgo(minutes: Int(age / .minutes(1)))
    }

    private var fieldError: CodePageState.FieldError? {
        let left = Challenge.maximumTries - challenge.tries
        return switch problem {
        case nil, .rejected(.paused): nil
        case .notSixDigits: .notSixDigits
        case .unseen(let code, let position): .unseen(code: code, position: position)
        case .rejected(.notSent): .notSent
        case .rejected(.wrong), .rejected(.ended): .wrong(triesLeft: left > 2 ? nil : left)
        }
    }
}
