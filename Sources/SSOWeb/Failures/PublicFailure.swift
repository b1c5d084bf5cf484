public import HTTPTypes

/// A failure as a person may see it: what happened and one way on. The cause stays in the log.
public struct PublicFailure: Error, Sendable {
    /// The one link of an error page.
    public struct WayOn: Sendable {
        public let label: String
        public let href: String

        public init(label: String, href: String) {
            self.label = label
            self.href = href
        }

        public static let home = Self(label: "Go to the start page", href: "/")
    }

    public let status: HTTPResponse.Status
    /// Stable, for logs and JSON: `invalid_request`.
    public let code: String
    public let title: String
    public let explanation: String
    public let wayOn: WayOn
    /// What the log says beside the reference. Never a token, code, secret, cookie or link.
    public let cause: String?
    public let headers: HTTPFields

    public init(
        _ status: HTTPResponse.Status, code: String, title: String, explanation: String, wayOn: WayOn = .home,
        cause: String? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.explanation = explanation
        self.wayOn = wayOn
        self.cause = cause
        self.headers = headers
    }
}

extension PublicFailure {
    public static let notFound = Self(
        .notFound, code: "not_found", title: "There is nothing here",
        explanation: "The address leads to no page of this service.")

    public static let tooLarge = Self(
        .contentTooLarge, code: "invalid_request", title: "That was too much",
        explanation: "The request is larger than this service accepts.")

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

    public static func badRequest(_ explanation: String, cause: String? = nil) -> Self {
        Self(
            .badRequest, code: "invalid_request", title: "That request cannot be read", explanation: explanation,
            cause: cause)
    }

    public static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Self {
        Self(
            .methodNotAllowed, code: "invalid_request", title: "That does not work here",
            explanation: "This address does not take requests of that kind.",
            headers: [.allow: allowed.map(\.rawValue).joined(separator: ", ")])
    }

    public static func tooManyRequests(retryAfter: Duration) -> Self {
        Self(
            .tooManyRequests, code: "rate_limited", title: "One moment, please",
            explanation: "Too many requests came from your network. Try again in \(PlainDate.span(retryAfter)).",
            headers: [.retryAfter: String(max(1, retryAfter.secondsRoundedUp))])
    }

    /// A form that was not made for this session: it lay open too long, or somebody else's page sent it.
    public static func staleForm(_ wayOn: WayOn) -> Self {
        Self(
            .forbidden, code: "stale_form", title: "This page was out of date",
            explanation: "It lay open too long, or you have signed in or out elsewhere since. Nothing was sent.",
            wayOn: wayOn)
    }
}
