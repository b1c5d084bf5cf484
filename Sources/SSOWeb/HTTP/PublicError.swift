public import HTTPTypes
import SSOShared

/// An error that may be shown to a user: what happened and one link to continue. The cause goes to the log only.
public struct PublicError: Error, Sendable {
    /// The one link of an error page.
    public struct NextStep: Sendable {
        /// The text of the link.
        public let label: String
        /// A path of this service, or a checked address.
        public let href: String

        /// A link with this text to this address.
        public init(label: String, href: String) {
            self.label = label
            self.href = href
        }

        /// The link to this service's start page.
        public static let home = Self(label: "Go to the start page", href: "/")
    }

    /// The status of the response.
    public let status: HTTPResponse.Status
    /// A stable code for logs and JSON: `invalid_request`.
    public let code: String
    /// The heading of the page: what happened, in a few words.
    public let title: String
    /// One or two sentences: what it means for the user and what to do.
    public let explanation: String
    /// The one link of the page.
    public let nextStep: NextStep
    /// The cause for the log. Never contains a token, code, secret, cookie or email link.
    public let cause: String?
    /// Additional headers, such as `Retry-After`.
    public let headers: HTTPFields

    /// An error with its own texts. The constants below cover the common cases.
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
    /// There is no page at this address, or this user may not see it. Both look the same.
    public static let notFound = Self(
        .notFound, code: "not_found", title: "Page not found",
        explanation: "This service has no page at this address.")

    /// The body is larger than the route accepts.
    public static let tooLarge = Self(
        .contentTooLarge, code: "invalid_request", title: "The request is too large",
        explanation: "It is larger than this service accepts.")

    /// The request target is over the limit.
    static let addressTooLong = Self(
        .uriTooLong, code: "invalid_request", title: "The address is too long",
        explanation: "Check the link. The address is longer than this service accepts.")

    /// The request line and headers together are over the limit.
    static let headTooLarge = Self(
        .requestHeaderFieldsTooLarge, code: "invalid_request", title: "The request is too large",
        explanation: "Its headers are larger than this service accepts. Deleting the cookies of this site may help.")

    /// The response body for a program.
    var json: String { JSONText.object([.init("error", code)]) }

    /// The body is not a form.
    public static let unsupportedType = Self(
        .unsupportedMediaType, code: "invalid_request", title: "This is not a form",
        explanation: "This address accepts only forms of the type application/x-www-form-urlencoded.")

    /// The storage is unavailable. The request was neither carried out nor refused.
    public static func unavailable(_ cause: String) -> Self {
        Self(
            .serviceUnavailable, code: "temporarily_unavailable", title: "Temporarily unavailable",
            explanation: "The service cannot reach its storage at the moment. Try again in a few seconds.",
            cause: cause, headers: [.retryAfter: "1"])
    }

    /// The request is malformed. `cause` goes to the log.
    public static func badRequest(_ explanation: String, cause: String? = nil) -> Self {
        Self(
            .badRequest, code: "invalid_request", title: "The request could not be read", explanation: explanation,
            cause: cause)
    }

    /// The route does not accept this method. `Allow` lists the accepted ones (RFC 9110 15.5.6).
    public static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Self {
        Self(
            .methodNotAllowed, code: "invalid_request", title: "This does not work here",
            explanation: "This address does not accept requests of this kind.",
            headers: [.allow: allowed.map(\.rawValue).joined(separator: ", ")])
    }

    /// A limit is exceeded. The page and `Retry-After` show the wait, at least one second.
    public static func tooManyRequests(retryAfter: Duration) -> Self {
        Self(
            .tooManyRequests, code: "rate_limited", title: "Too many requests",
            explanation: "Too many requests came from your network. Try again in \(PlainDate.span(retryAfter)).",
            headers: [.retryAfter: String(max(1, retryAfter.secondsRoundedUp))])
    }

    /// The form does not belong to this session: it was open for too long, or another site sent it.
    public static func staleForm(_ nextStep: NextStep) -> Self {
        Self(
            .forbidden, code: "stale_form", title: "This page has expired",
            explanation: "It was open for too long, or you have signed in or out in another tab. Nothing was changed.",
            nextStep: nextStep)
    }
}
