import HTTPTypes
import Hummingbird
import SSOWeb

/// The page with the field `code`.
struct EmailCodePage: Sendable {
    let pages: Pages
    let script: String

    /// What was wrong with the last input.
    enum InputError: Sendable {
        case notSixDigits, wrong
        /// No email with the code has left yet.
        case notSent
        /// Too many wrong codes: not compared.
        case paused
    }

    struct Model: Sendable {
        let formToken, address, flow, error, email, wait, signIn, script: String
        let waitSeconds: Int
        let hasError, hasEmail, isDelayed, takesCode, mustWait, hasLongWait, hasBrowserHint: Bool
    }

    /// - Parameters:
    ///   - emailAt: when the email with this code leaves or left; nil if the budget is used up and no email is sent.
    ///   - isDelayed: whether emails are held back at the moment, for everybody.
    ///   - isKnown: whether this is a known browser.
    ///   - pause: for how long no code is accepted for this address; nil when codes are accepted.
    ///   - wait: until another email may be sent to this address.
    func response(
        _ request: Request, formToken: String, address: String, flow: FlowID?, problem: InputError?,
        emailAt: Timestamp?, isDelayed: Bool,
        isKnown: Bool, pause: Duration?, wait: Duration?, now: Timestamp
    ) -> Response {
        let error = [problem.flatMap(words), pause.map { words(pause: $0, now) }].compactMap { $0 }
        let model = Model(
            formToken: formToken, address: address, flow: flow?.text ?? "", error: error.joined(separator: " "),
            email: emailAt.map { words(emailAt: $0, now) } ?? "", wait: wait.map(PlainDate.span) ?? "",
            signIn: FlowID.path("/sign-in", flow), script: script, waitSeconds: wait?.secondsRoundedUp ?? 0,
            hasError: !error.isEmpty, hasEmail: emailAt != nil, isDelayed: isDelayed, takesCode: pause == nil,
            mustWait: wait != nil, hasLongWait: wait.map { $0 > .minutes(1) } ?? false,
            hasBrowserHint: !isKnown && (pause != nil || emailAt == nil))
        var headers: HTTPFields = [:]
        if case .paused = problem, let pause { headers[.retryAfter] = String(max(1, pause.secondsRoundedUp)) }
        return pages.response("email-code", model, for: request, status: status(problem), headers: headers)
    }

    private func words(_ problem: InputError) -> String? {
        switch problem {
        case .notSixDigits: "The code has six digits. You find it in the email, alone on a line."
        // One text for wrong, used, expired and unknown codes: an attacker must not learn which it was.
        case .wrong: "That code is not right, or it is no longer valid. Check the newest email, or ask for a new code."
        case .notSent: "The email with your code has not been sent yet. Wait for it, then type the code from it."
        case .paused: nil
        }
    }

    /// The same for an address that may sign in and for one that may not.
    private func words(emailAt moment: Timestamp, _ now: Timestamp) -> String {
        let age = now - moment
        if age < .zero {
            return "will be sent in \(PlainDate.span(.zero - age))"
        }
        return age < .minutes(1)
            ? "is on its way. It can take a minute" : "was sent \(PlainDate.span(age)) ago"
    }

    private func words(pause: Duration, _ now: Timestamp) -> String {
        "Too many wrong codes were typed for this address. Typing codes is paused for \(PlainDate.span(pause)), "
            + "until \(PlainDate.time(now + pause))."
    }

    private func status(_ problem: InputError?) -> HTTPResponse.Status {
        switch problem {
        case nil: .ok
        case .notSixDigits, .wrong, .notSent: .unprocessableContent
        case .paused: .tooManyRequests
        }
    }
}
