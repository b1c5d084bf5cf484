import HTTPTypes
import SSOShared
import SSOWeb

/// What can go wrong at the callback, in words for the person in front of it. Each offers to start again.
enum SignInFailure {
    /// The state is not one that this browser was given, or it is used up or too old. The IdP is not asked.
    static let unknownState = failure(
        .badRequest, "unknown_state", "This sign-in did not begin here",
        "It began in another browser, took longer than ten minutes, or is finished already.",
        cause: "state unknown in this browser, used or expired")

    static let prefetch = failure(
        .badRequest, "prefetch", "Open this page by itself", "A sign-in is not finished ahead of a click.",
        cause: "Sec-Purpose: prefetch")

    static func refused(returnTo: String) -> PublicFailure {
        failure(
            .badRequest, "sign_in_refused", "You were not signed in",
            "Main App sent you back without signing you in.", cause: "the IdP answered with an error",
            returnTo: returnTo)
    }

    static func noToken(returnTo: String) -> PublicFailure {
        failure(
            .badRequest, "no_token", "You were not signed in", "The answer of Main App was not complete.",
            cause: "no token, or two", returnTo: returnTo)
    }

    /// The back channel failed. Trouble on the way is told apart from a refusal: after the first, trying again helps.
    static func notVerified(_ error: BackChannelError, returnTo: String) -> PublicFailure {
        switch error {
        case .rejected(.invalidToken):
            failure(
                .badRequest, "invalid_token", "This sign-in is no longer valid",
                "Its token was used already or is older than five minutes.", cause: "\(error)", returnTo: returnTo)
        case .rejected, .untrusted:
            failure(
                .badGateway, "not_verified", "You were not signed in",
                "This service and Main App do not understand each other right now. Its people have to look at that.",
                cause: "\(error)", returnTo: returnTo)
        case .unavailable:
            failure(
                .serviceUnavailable, "idp_unavailable", "Main App does not answer",
                "Your sign-in could not be finished. Try again in a moment.", cause: "\(error)", returnTo: returnTo,
                retryAfter: "5")
        }
    }

    private static func failure(
        _ status: HTTPResponse.Status, _ code: String, _ title: String, _ explanation: String, cause: String,
        returnTo: String = "/", retryAfter: String? = nil
    ) -> PublicFailure {
        var headers: HTTPFields = [.referrerPolicy: "no-referrer"]
        headers[.retryAfter] = retryAfter
        let href = ReturnPath.start(returnTo: returnTo)
        return PublicFailure(
            status, code: code, title: title, explanation: explanation,
            wayOn: .init(label: "Sign in again", href: href), cause: cause, headers: headers)
    }
}
