import HTTPTypes
package import SSOWeb

/// What can go wrong with a flow, in words for the user.
package enum FlowError {
    /// The request is not a page of its own, opened by the user.
    package static let notAPage = PublicError(
        .badRequest, code: "not_a_page", title: Text("error.not-a-page.title"), explanation: Text("error.not-a-page"),
        cause: "frame_or_prefetch")

    /// There never was such a flow in this browser, or it ended long ago.
    package static let noSuchFlow = noSuchFlow(leadingTo: .home)

    /// - Parameter hasCookies: false where the browser has sent none, and may keep none.
    static func noSuchFlow(leadingTo next: PublicError.NextStep, hasCookies: Bool = true) -> PublicError {
        PublicError(
            .notFound, code: "no_such_flow", title: Text("error.no-such-flow.title"),
            explanation: Text(hasCookies ? "error.no-such-flow" : "error.no-such-flow-cookie"), nextStep: next)
    }

    /// What the request asks for is too long to be kept in the session.
    package static let tooLong = PublicError(
        .badRequest, code: "invalid_request", title: Text("error.flow-too-long.title"),
        explanation: Text("error.flow-too-long"), cause: "flow_payload_too_long")

    /// One session has begun too many flows.
    package static func tooMany(_ wait: Duration) -> PublicError {
        PublicError(
            .tooManyRequests, code: "rate_limited", title: Text("error.flow-limit.title"),
            explanation: Text("error.flow-limit", ["count": String(FlowLimit.count), "wait": Text.span(wait)]),
            cause: "flows_of_session", headers: [.retryAfter: String(max(1, wait.secondsRoundedUp))])
    }

    /// The client or its redirect URI is not registered. The page neither redirects nor links there.
    package static let unknownClient = PublicError(
        .badRequest, code: "unknown_client", title: Text("error.unknown-client.title"),
        explanation: Text("error.unknown-client"), cause: "client_or_redirect_uri_unknown")
}
