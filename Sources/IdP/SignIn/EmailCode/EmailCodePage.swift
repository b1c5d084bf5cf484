import HTTPTypes
import Hummingbird
import SSOWeb

/// The page with the field `code`.
struct EmailCodePage: Sendable {
    let pages: Pages
    let script: String

    /// What was wrong with the last try.
    enum Fault: Sendable {
        case notSixDigits, wrong
        /// No email with the code has left yet.
        case notSent
        /// Not even compared: the account pauses.
        case refused
    }

    struct Model: Sendable {
        let formToken, address, flow, error, letter, wait, signIn, script: String
        let waitSeconds: Int
        let hasError, hasLetter, isDelayed, takesCode, mustWait, hasHadItsShare, hasBrowserHint: Bool
    }

    /// - Parameters:
    ///   - letterAt: when the letter with this code leaves or left; nil when the address has had its share and none comes.
    ///   - isDelayed: whether emails are held back at the moment, for everybody.
    ///   - isKnown: whether this is a known browser.
    ///   - pause: for how long no code is taken for this address; nil when codes are taken.
    ///   - wait: until another letter may go to this address.
    func response(
        formToken: String, address: String, flow: FlowID?, fault: Fault?, letterAt: Timestamp?, isDelayed: Bool,
        isKnown: Bool, pause: Duration?, wait: Duration?, now: Timestamp
    ) -> Response {
        let error = [fault.flatMap(words), pause.map { words(pause: $0, now) }].compactMap { $0 }
        let model = Model(
            formToken: formToken, address: address, flow: flow?.text ?? "", error: error.joined(separator: " "),
            letter: letterAt.map { words(letterAt: $0, now) } ?? "", wait: wait.map(PlainDate.span) ?? "",
            signIn: FlowID.path("/sign-in", flow), script: script, waitSeconds: wait?.secondsRoundedUp ?? 0,
            hasError: !error.isEmpty, hasLetter: letterAt != nil, isDelayed: isDelayed, takesCode: pause == nil,
            mustWait: wait != nil, hasHadItsShare: wait.map { $0 > .minutes(1) } ?? false,
            hasBrowserHint: !isKnown && (pause != nil || letterAt == nil))
        var headers: HTTPFields = [:]
        if case .refused = fault, let pause { headers[.retryAfter] = String(max(1, pause.secondsRoundedUp)) }
        return pages.response("email-code", model, status: status(fault), headers: headers)
    }

    private func words(_ fault: Fault) -> String? {
        switch fault {
        case .notSixDigits: "A code is six digits. Look for the line of digits in the letter."
        // One text for wrong, used, expired and unknown: nobody learns which it was.
        case .wrong: "That code is not right, or it is no longer valid. Check the newest letter, or ask for a new one."
        case .notSent: "The email with your code has not left yet. Wait for it, then type the code in it."
        case .refused: nil
        }
    }

    /// The same for an address that may sign in and for one that may not.
    private func words(letterAt moment: Timestamp, _ now: Timestamp) -> String {
        let age = now - moment
        if age < .zero {
            return "leaves for there in \(PlainDate.span(.zero - age)): others were asked for just before"
        }
        return age < .minutes(1)
            ? "is on its way there. It can take a minute" : "has been on its way for \(PlainDate.span(age))"
    }

    private func words(pause: Duration, _ now: Timestamp) -> String {
        "Too many wrong codes were typed for this address. Typing codes is paused for \(PlainDate.span(pause)), "
            + "until \(PlainDate.time(now + pause))."
    }

    private func status(_ fault: Fault?) -> HTTPResponse.Status {
        switch fault {
        case nil: .ok
        case .notSixDigits, .wrong, .notSent: .unprocessableContent
        case .refused: .tooManyRequests
        }
    }
}
