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
        /// Not even compared: the account pauses.
        case refused
    }

    struct Model: Sendable {
        let formToken, address, flow, error, wait, script: String
        let waitSeconds: Int
        let hasError, takesCode, mustWait: Bool
    }

    /// - Parameters:
    ///   - pause: for how long no code is taken for this address; nil when codes are taken.
    ///   - wait: until another letter may go to this address.
    func response(
        formToken: String, address: String, flow: FlowID?, fault: Fault?, pause: Duration?, wait: Duration?,
        now: Timestamp
    ) -> Response {
        let error = [fault.flatMap(words), pause.map { words(pause: $0, now) }].compactMap { $0 }
        let model = Model(
            formToken: formToken, address: address, flow: flow?.text ?? "", error: error.joined(separator: " "),
            wait: wait.map(PlainDate.span) ?? "", script: script, waitSeconds: wait?.secondsRoundedUp ?? 0,
            hasError: !error.isEmpty, takesCode: pause == nil, mustWait: wait != nil)
        var headers: HTTPFields = [:]
        if case .refused = fault, let pause { headers[.retryAfter] = String(max(1, pause.secondsRoundedUp)) }
        return pages.response("email-code", model, status: status(fault), headers: headers)
    }

    private func words(_ fault: Fault) -> String? {
        switch fault {
        case .notSixDigits: "A code is six digits. Look for the line of digits in the letter."
        // One text for wrong, used, expired and unknown: nobody learns which it was.
        case .wrong: "That code is not right, or it is no longer valid. Check the newest letter, or ask for a new one."
        case .refused: nil
        }
    }

    private func words(pause: Duration, _ now: Timestamp) -> String {
        "Too many wrong codes were typed for this address. Typing codes is paused for \(PlainDate.span(pause)), "
            + "until \(PlainDate.time(now + pause))."
    }

    private func status(_ fault: Fault?) -> HTTPResponse.Status {
        switch fault {
        case nil: .ok
        case .notSixDigits, .wrong: .unprocessableContent
        case .refused: .tooManyRequests
        }
    }
}
