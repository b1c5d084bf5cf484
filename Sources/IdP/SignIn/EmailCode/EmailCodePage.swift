import HTTPTypes
import Hummingbird
import IdPFlow
import SSOShared
import SSOWeb

/// The page with the field `code`.
package struct EmailCodePage: Sendable {
    let pages: Pages
    /// How it asks for an answer to the email; nil where answers are not received.
    let reply: @Sendable (Challenge, FlowID?) -> ReplyOffer?

    /// What was wrong with the last input.
    enum InputError: Sendable, Equatable {
        case notSixDigits
        /// Not six digits, with a character that nobody can see, such as `U+FFFC`, at this place from 1.
        case unseen(code: String, position: Int)
        case rejected(CodeStep.CodeError)
    }

    /// How the page asks for an answer to the email, and learns of it.
    package struct ReplyOffer: Encodable, Sendable {
        /// The four digits that the answer must contain.
        let number: String
        /// The digits one by one, for screen readers.
        let spaced: String
        /// The path of the server-sent events, and the path that continues after an answer.
        let events, next: String
    }

    struct Model: Encodable, Sendable {
        let formToken, address, flow, signIn: String
        let errorHTML, statusHTML, service, provider: String?
        let field: Field?
        let countdown: Countdown?
        let hasLimits, isSentAgain, isDeferred, isWaiting, isDelayed, hasBrowserHint, hasLink: Bool
        let isPaused, needsNewCode, remembers: Bool
    }

    /// The form with the field.
    struct Field: Encodable, Sendable {
        let life: String
        let maximumLength = EmailCode.maximumLength
        let reply: ReplyOffer?
        let remember: RememberChoice?
    }

    /// The wait until the next email.
    struct Countdown: Encodable, Sendable { let wait, seconds: String }

    /// Says the same for an address that may sign in and for one that may not: everything it shows is counted and stored
    /// for both (docs/architecture.md, "no account enumeration").
    func response(_ request: Request, formToken: String, _ facts: CodePageFacts) -> Response {
        let (texts, state) = (pages.texts(for: request), facts.state)
        var (error, status) = messages(facts, state, texts)
        // One text for each fact: where the error says it, the status does not.
        if facts.problem == .rejected(.notSent) { (error, status) = (error ?? status, nil) }
        let field = field(request, facts, state, texts)
        let countdown = state.countdown(facts.wait)
        let model = Model(
            formToken: formToken, address: EmailAddress.shown(facts.challenge.address), flow: facts.flow?.text ?? "",
            signIn: SignInPath.signIn(facts.flow), errorHTML: error, statusHTML: status,
            service: facts.flow == nil ? nil : facts.client, provider: facts.provider, field: field,
            countdown: countdown.map {
                Countdown(wait: texts.plain(.span($0)), seconds: String($0.secondsRoundedUp))
            },
            hasLimits: state != .noEmail && countdown.map { $0 > .minutes(1) } == true,
            isSentAgain: state.isSentAgain, isDeferred: state.isDeferred, isWaiting: state.isWaiting,
            isDelayed: facts.heldSince != nil,
            hasBrowserHint: facts.challenge.browserID == nil && state.isAtLimit, hasLink: facts.hasLink,
            isPaused: state.isPaused, needsNewCode: state.needsNewCode, remembers: facts.remembers)
        let isRefused = facts.problem == .rejected(.paused)
        var headers: HTTPFields = [:]
        if field?.reply != nil { headers[.contentSecurityPolicy] = ContentPolicy.formsAndEvents }
        if isRefused, let pause = facts.pause { headers[.retryAfter] = String(max(1, pause.secondsRoundedUp)) }
        return pages.response(
            "email-code", model, for: request,
            status: isRefused ? .tooManyRequests : facts.problem == nil ? .ok : .unprocessableContent, headers: headers,
            offersLanguages: true)
    }

    private func field(_ request: Request, _ facts: CodePageFacts, _ state: CodePageState, _ texts: Texts) -> Field? {
        guard case .takesCode = state else { return nil }
        return Field(
            life: texts.plain(.span(facts.challenge.expiresAt - facts.now)), reply: facts.reply,
            remember: RememberChoice(facts.lifetime, isTicked: facts.remembers, request, texts))
    }

    /// What was wrong, and what happens to the email with the code, as HTML.
    private func messages(
        _ facts: CodePageFacts, _ state: CodePageState, _ texts: Texts
    ) -> (error: String?, status: String?) {
        let address: [String: any TextValue] = ["address": EmailAddress.shown(facts.challenge.address)]
        switch state {
        case .paused(let pause):
            return (texts.html(Text("code.paused", ["wait": texts.plain(.span(pause))])), nil)
        case .usedUp: return (texts.html(Text("code.used-up")), texts.html(Text("code.new-to", address)))
        case .expired: return (texts.html(Text("code.expired")), texts.html(Text("code.new-to", address)))
        case .noEmail: return (nil, texts.html(Text(facts.wait == nil ? "code.none" : "code.limit", address)))
        case .takesCode(let email, let error):
            let wrong: [Text] =
                switch error {
                case nil: []
                case .notSixDigits: [Text("code.not-six-digits")]
                case .unseen(let code, let position):
                    [
                        Text("code.not-six-digits"),
                        Text("code.unseen", ["code": code, "position": String(position)]),
                    ]
                case .notSent: [Text("code.not-sent")]
                case .wrong(nil): [Text("code.wrong")]
                case .wrong(let left?): [Text("code.wrong"), Text("code.tries-left", count: left)]
                }
            let status =
                switch email {
                case .deferred, .held: Text("code.deferred", address)
                case .sent: Text("code.sent", address)
                case .sentAgain: Text("code.sent-again", address)
                case .sentAgo(let minutes):
                    Text(
                        "code.sent-ago",
                        address.merging(["age": texts.plain(Text("span.minutes", count: minutes))]) { $1 })
                }
            return (error == nil ? nil : wrong.map(texts.html).joined(separator: " "), texts.html(status))
        }
    }
}

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
    /// Whether the user has ticked the box to stay signed in, with the last input or before.
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
    /// Whether no email with the code has left yet.
    var isWaiting: Bool { if case .takesCode(.held, _) = self { true } else { isDeferred } }
    var isPaused: Bool { if case .paused = self { true } else { false } }
    var isSentAgain: Bool { if case .takesCode(.sentAgain, _) = self { true } else { false } }
    /// Whether a limit of the address is reached, which others may have used up.
    var isAtLimit: Bool { isPaused || self == .noEmail }
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
