public import HTTPTypes
public import Hummingbird
import SSOShared

/// An error that may be shown to a user: what happened and, nearly always, one link to continue. The cause goes to the log only.
public struct PublicError: Error, Sendable {
    /// The one link of an error page.
    public struct NextStep: Sendable {
        /// The text of the link.
        public let label: Text
        /// A path of this service, or a checked address.
        public let href: String

        /// A link with this text to this address.
        public init(label: Text, href: String) {
            self.label = label
            self.href = href
        }

        /// The link to this service's start page.
        public static let home = Self(label: Text("error.home"), href: "/")
    }

    /// A form that tries the same again, as a button above the link.
    public struct Retry: Sendable {
        /// The text of the button.
        public let label: Text
        /// A path of this service that the form is posted to.
        public let action: String
        /// The hidden fields, with the form token of the session.
        public let fields: [(name: String, value: String)]

        public init(label: Text, action: String, fields: [(name: String, value: String)]) {
            (self.label, self.action, self.fields) = (label, action, fields)
        }
    }

    /// The status of the response.
    public let status: HTTPResponse.Status
    /// A stable code for logs and JSON: `invalid_request`.
    public let code: String
    /// The heading of the page: what happened, in a few words.
    public let title: Text
    /// One or two sentences: what it means for the user and what to do.
    public let explanation: Text
    /// The one link of the page, unless it is ``withoutLink``.
    public private(set) var nextStep: NextStep
    /// The cause for the log. Never contains a token, code, secret, cookie or email link.
    public let cause: String?
    /// Additional headers, such as `Retry-After`.
    public let headers: HTTPFields
    /// Whether the log has the refusal already, with an event of its own and the same reference. One refusal is one line, and
    /// the fault of another service is no alarm of ours.
    public var isLogged = false
    /// What the line in the log names beside the cause: the account, the flow.
    public var logFields: [String: String] = [:]
    /// Where another try makes sense; nil elsewhere.
    public var retry: Retry?
    /// Whether the page has the link of the next step.
    public private(set) var hasLink = true

    /// An error with its own texts. The constants below cover the common cases.
    public init(
        _ status: HTTPResponse.Status, code: String, title: Text, explanation: Text, nextStep: NextStep = .home,
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
    /// The same error, of which the log has a line already.
    public var logged: PublicError {
        var error = self
        error.isLogged = true
        return error
    }

    /// The same error with another next step.
    public func leading(to nextStep: NextStep) -> PublicError {
        var error = self
        error.nextStep = nextStep
        return error
    }

    /// The same error on a page without a link: nothing that a user could do next would help.
    public var withoutLink: PublicError {
        var error = self
        error.hasLink = false
        return error
    }

    /// There is no page at this address, or this user may not see it. Both look the same.
    public static let notFound = Self(
        .notFound, code: "not_found", title: Text("error.not-found.title"), explanation: Text("error.not-found"))

    /// The body is larger than the route accepts.
    public static let tooLarge = Self(
        .contentTooLarge, code: "invalid_request", title: Text("error.too-large.title"),
        explanation: Text("error.too-large"), cause: "body_too_large")

    /// The request target is over the limit.
    static let addressTooLong = Self(
        .uriTooLong, code: "invalid_request", title: Text("error.address-too-long.title"),
        explanation: Text("error.address-too-long"), cause: "request_target_too_long")

    /// The request line and headers together are over the limit.
    static let headTooLarge = Self(
        .requestHeaderFieldsTooLarge, code: "invalid_request", title: Text("error.too-large.title"),
        explanation: Text("error.head-too-large"), cause: "headers_too_large")

    /// The request has no session, as far as it can be read.
    static let unauthenticated = Self(
        .unauthorized, code: "unauthenticated", title: Text("error.too-large.title"),
        explanation: Text("error.head-too-large"), cause: "headers_too_large")

    /// The response body for a program.
    func json(description: String) -> String {
        JSONText.object([.init("error", code), .init("error_description", description)])
    }

    /// The body is not a form.
    public static let unsupportedType = Self(
        .unsupportedMediaType, code: "invalid_request", title: Text("error.not-a-form.title"),
        explanation: Text("error.not-a-form"), cause: "content_type")

    /// The storage is unavailable. The request was neither carried out nor refused.
    public static func unavailable(_ cause: String) -> Self {
        Self(
            .serviceUnavailable, code: "temporarily_unavailable", title: Text("error.unavailable.title"),
            explanation: Text("error.unavailable"), cause: cause, headers: [.retryAfter: "1"])
    }

    /// The request is malformed. `cause` goes to the log.
    public static func badRequest(cause: String) -> Self {
        Self(
            .badRequest, code: "invalid_request", title: Text("error.bad-request.title"),
            explanation: Text("error.bad-request"), cause: cause)
    }

    /// A parameter cannot be decoded: a `%` that begins no escape, or bytes that are not UTF-8.
    ///
    /// - Parameter name: one that this program knows, never what a request names.
    public static func unreadable(_ name: String) -> Self {
        Self(
            .badRequest, code: "invalid_request", title: Text("error.bad-request.title"),
            explanation: Text("error.unreadable", ["parameter": name]), cause: "\(name)_malformed")
    }

    /// A field of a query or form that the route needs cannot be used.
    static func field(_ error: URLEncodedFields.FieldError) -> Self {
        switch error {
        case .malformed(let name): unreadable(name)
        case .repeated(let name):
            Self(
                .badRequest, code: "invalid_request", title: Text("error.bad-request.title"),
                explanation: Text("error.repeated", ["parameter": name]), cause: "\(name)_repeated")
        }
    }

    /// The route does not accept this method. `Allow` lists the accepted ones (RFC 9110 15.5.6).
    public static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Self {
        Self(
            .methodNotAllowed, code: "invalid_request", title: Text("error.method.title"),
            explanation: Text("error.method"), cause: "method",
            headers: [.allow: allowed.map(\.rawValue).joined(separator: ", ")])
    }

    /// Whose requests a limit counts.
    public enum Sender: Sendable { case network, browser, account }

    /// A limit is exceeded. The page and `Retry-After` show the wait, at least one second.
    public static func tooManyRequests(from sender: Sender = .network, retryAfter: Duration) -> Self {
        let wait: [String: any TextValue] = ["wait": Text.span(retryAfter)]
        let explanation =
            switch sender {
            case .network: Text("error.rate-limited", wait)
            case .browser: Text("error.rate-limited-browser", wait)
            case .account: Text("error.rate-limited-account", wait)
            }
        return Self(
            .tooManyRequests, code: "rate_limited", title: Text("error.rate-limited.title"), explanation: explanation,
            headers: [.retryAfter: String(max(1, retryAfter.secondsRoundedUp))])
    }

    /// The form does not belong to this session: it was open for too long, or another site sent it.
    ///
    /// - Parameters:
    ///   - request: the form's. Without any cookie the browser does not keep ours, and the page says so.
    ///   - sender: what the browser says about the form. A page that expires has our own.
    public static func staleForm(_ request: Request, from sender: FormSender, _ nextStep: NextStep) -> Self {
        func refused(_ code: String, _ text: String, _ names: [String: String] = [:], cause: String) -> Self {
            Self(
                .forbidden, code: code, title: Text("error.\(text).title"), explanation: Text("error.\(text)", names),
                nextStep: nextStep, cause: cause)
        }
        switch sender {
        case .otherSite(let ours):
            return refused("other_site", "other-site", ["address": ours], cause: "form_of_other_site")
        case .otherAddress(let ours):
            return refused("other_site", "other-site", ["address": ours], cause: "form_of_other_address")
        case .ownPage, .hidden:
            // Without a cookie it is that of nobody, whatever the browser says about it.
            guard request.headers[.cookie] != nil else {
                return refused("no_cookie", "no-cookie", cause: "no_cookie_sent")
            }
            guard sender == .ownPage else {
                return refused("origin_hidden", "origin-hidden", cause: "origin_null_referrer_policy")
            }
            return refused("stale_form", "stale-form", cause: "form_token_of_other_session")
        }
    }
}
