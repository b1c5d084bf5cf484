/// Why a callback did not sign the user in, in words for the user. Each error offers to start again.
///
/// The words say "Main App" for the identity provider; a relying party with another one writes its own by ``code``.
public struct SignInError: Error, Sendable {
    /// The HTTP status of the page.
    public let status: Int
    /// Stable, for the log and for scripts.
    public let code: String
    /// What happened, as a heading.
    public let title: String
    /// What it means, in a sentence or two.
    public let explanation: String
    /// For the log. Contains no token, state or secret.
    public let cause: String
    /// Where "Sign in again" leads: ``SSOPath/start`` with the page to return to.
    public let startAgain: String
    /// Seconds for the header `Retry-After`.
    public let retryAfter: Int?

    /// The state is not one that this browser was given, or it is used or too old. The identity provider is not called.
    public static let unknownState = SignInError(
        400, "unknown_state", "This sign-in did not start here",
        "It was started in another browser, took longer than ten minutes, or is finished already.",
        cause: "state unknown in this browser, used or expired")

    /// The browser loads the page ahead of a click.
    public static let prefetch = SignInError(
        400, "prefetch", "Open this page by itself", "A sign-in is not finished before a click.",
        cause: "Sec-Purpose: prefetch")

    static func refused(returnTo: String) -> SignInError {
        SignInError(
            400, "sign_in_refused", "You were not signed in", "Main App sent you back without signing you in.",
            cause: "the identity provider answered with an error", returnTo: returnTo)
    }

    static func noToken(returnTo: String) -> SignInError {
        SignInError(
            400, "no_token", "You were not signed in", "The answer of Main App was not complete.",
            cause: "no token, or two", returnTo: returnTo)
    }

    /// The back channel failed. When the identity provider cannot be reached, trying again helps; after a refusal it does
    /// not.
    static func notVerified(_ error: BackChannelError, returnTo: String) -> SignInError {
        switch error {
        case .rejected(.invalidToken):
            SignInError(
                400, "invalid_token", "This sign-in is no longer valid",
                "Its token was used already or is older than five minutes.", cause: "\(error)", returnTo: returnTo)
        case .rejected, .untrusted:
            SignInError(
                502, "not_verified", "You were not signed in",
                "This service and Main App cannot communicate right now. The operators of this service have to fix that.",
                cause: "\(error)", returnTo: returnTo)
        case .unavailable:
            SignInError(
                503, "idp_unavailable", "Main App does not answer",
                "Your sign-in could not be finished. Try again in a moment.", cause: "\(error)", returnTo: returnTo,
                retryAfter: 5)
        }
    }

    private init(
        _ status: Int, _ code: String, _ title: String, _ explanation: String, cause: String, returnTo: String = "/",
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.explanation = explanation
        self.cause = cause
        startAgain = ReturnPath.start(returnTo: returnTo)
        self.retryAfter = retryAfter
    }
}
