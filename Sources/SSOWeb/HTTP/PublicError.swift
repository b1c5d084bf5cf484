public import HTTPTypes
import SSOShared

/// A failure as a person may see it: what happened and one way on. The cause stays in the log.
public struct PublicError: Error, Sendable {
    /// The one link of an error page.
    public struct NextStep: Sendable {
        /// The words of the link.
        public let label: String
        /// Where it leads: a path of this service, or an address known to be good.
        public let href: String

        /// A link with these words to this place.
        public init(label: String, href: String) {
            self.label = label
            self.href = href
        }

        /// To this service's own start page.
        public static let home = Self(label: "Go to the start page", href: "/")
    }

    /// The status of the answer.
    public let status: HTTPResponse.Status
    /// Stable, for logs and JSON: `invalid_request`.
    public let code: String
    /// What happened, in a few words; the heading of the page.
    public let title: String
    /// What it means for the person, in a sentence or two.
    public let explanation: String
    /// The one thing to do now.
    public let nextStep: NextStep
    /// What the log says beside the reference. Never a token, code, secret, cookie or link.
    public let cause: String?
    /// Headers the answer needs beside those of every answer, such as `Retry-After`.
    public let headers: HTTPFields

    /// A failure with words of its own. Those below fit most.
    public init(
        _ status: HTTPResponse.Status, code: String, title: String, explanation: String, nextStep: NextStep = .home,
        cause: String? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.explanation = explanation
        self.nextStep = nextStep
        self.cause = cause
        self.headers = headers
    }
}

extension PublicError {
    /// No page has this address, or none for this visitor: never told apart.
    public static let notFound = Self(
        .notFound, code: "not_found", title: "There is nothing here",
        explanation: "The address leads to no page of this service.")

    /// A body beyond what the address takes.
    public static let tooLarge = Self(
        .contentTooLarge, code: "invalid_request", title: "That was too much",
        explanation: "The request is larger than this service accepts.")

    /// A request target beyond what any link of ours has.
    static let addressTooLong = Self(
        .uriTooLong, code: "invalid_request", title: "That address is too long",
        explanation: "The address has more bytes than this service reads.")

    /// Request line and headers together.
    static let headTooLarge = Self(
        .requestHeaderFieldsTooLarge, code: "invalid_request", title: "That request is too large",
        explanation: "Its headers, cookies included, are more than this service accepts.")

    /// The whole answer for a program that asked.
    var json: String { JSONText.object([.init("error", code)]) }

    /// A body that is no form where a form is wanted.
    public static let unsupportedType = Self(
        .unsupportedMediaType, code: "invalid_request", title: "That is no form",
        explanation: "This address takes forms of the type application/x-www-form-urlencoded only.")

    /// Storage trouble. Says nothing about the visitor's request: it was neither done nor refused.
    public static func unavailable(_ cause: String) -> Self {
        Self(
            .serviceUnavailable, code: "temporarily_unavailable", title: "Back in a moment",
            explanation: "The service cannot reach its storage right now. Nothing is lost: try again shortly.",
            cause: cause, headers: [.retryAfter: "1"])
    }

    /// A request that makes no sense; `cause` goes into the log.
    public static func badRequest(_ explanation: String, cause: String? = nil) -> Self {
        Self(
            .badRequest, code: "invalid_request", title: "That request cannot be read", explanation: explanation,
            cause: cause)
    }

    /// Another method than the address takes; the answer names those in `Allow`.
    public static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Self {
        Self(
            .methodNotAllowed, code: "invalid_request", title: "That does not work here",
            explanation: "This address does not take requests of that kind.",
            headers: [.allow: allowed.map(\.rawValue).joined(separator: ", ")])
    }

    /// Beyond a limit; the page and `Retry-After` say how long to wait, a second at least.
    public static func tooManyRequests(retryAfter: Duration) -> Self {
        Self(
            .tooManyRequests, code: "rate_limited", title: "One moment, please",
            explanation: "Too many requests came from your network. Try again in \(PlainDate.span(retryAfter)).",
            headers: [.retryAfter: String(max(1, retryAfter.secondsRoundedUp))])
    }

    /// A form that was not made for this session: it lay open too long, or somebody else's page sent it.
    public static func staleForm(_ nextStep: NextStep) -> Self {
        Self(
            .forbidden, code: "stale_form", title: "This page was out of date",
            explanation: "It lay open too long, or you have signed in or out elsewhere since. Nothing was sent.",
            nextStep: nextStep)
    }
}
