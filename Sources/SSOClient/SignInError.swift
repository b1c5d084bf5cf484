import SSOShared

/// Why a callback did not sign the user in, with English words for the user. Each error offers to start again.
///
/// A relying party in another language finds its own words by ``code``.
public struct SignInError: Error, Sendable {
    /// The HTTP status of the page.
    public let status: Int
    /// Stable, for the log, for scripts and for texts. One of ``codes``.
    public let code: String
    private let title: String
    private let explanation: String
    /// For the log. Contains no token, state or secret.
    public let cause: String
    /// Where "Sign in again" leads: ``SSOPath/start`` with the page to return to.
    public let startAgain: String
    /// Seconds for the header `Retry-After`.
    public let retryAfter: Int?

    /// Every ``code``.
    public static let codes = Code.allCases.map(\.rawValue)

    private enum Code: String, CaseIterable {
        case unknownState = "unknown_state"
        case prefetch
        case accessDenied = "access_denied"
        case loginRequired = "login_required"
        case signInRefused = "sign_in_refused"
        case noToken = "no_token"
        case invalidToken = "invalid_token"
        case notVerified = "not_verified"
        case idpUnavailable = "idp_unavailable"
        case signInTooOld = "sign_in_too_old"
        case methodNotAccepted = "method_not_accepted"
        case signInTooWeak = "sign_in_too_weak"
    }

    /// What happened, as a heading.
    ///
    /// - Parameter idp: the name of the identity provider.
    public func title(idp: String) -> String { title.replacing("{idp}", with: idp) }

    /// What it means and what to do, in a sentence or two.
    ///
    /// - Parameter idp: the name of the identity provider.
    public func explanation(idp: String) -> String { explanation.replacing("{idp}", with: idp) }

    /// The state is not one that this browser was given, or it is used or too old. The identity provider is not called.
    public static let unknownState = SignInError(
        400, .unknownState, "We couldn't complete that sign-in",
        "It was started in another browser, took longer than ten minutes, or is already complete. "
            + "Start again: it only takes a click.",
        cause: "state unknown in this browser, used or expired")

    /// The browser loads the page ahead of a click.
    public static let prefetch = SignInError(
        400, .prefetch, "Open this page in its own tab",
        "Your browser loaded this page in advance. Open it with a click to complete the sign-in.",
        cause: "Sec-Purpose: prefetch")

    /// The identity provider sent the user back with an `error` (RFC 6749 4.1.2.1).
    ///
    /// - Parameters:
    ///   - error: the value as it was sent.
    ///   - description: the value of `error_description`, for the log.
    static func refused(_ error: String, description: String?, returnTo: String) -> SignInError {
        let isReadable = (1...40).contains(error.utf8.count) && error.utf8.allSatisfy { $0.isASCIILetter || $0 == 0x5f }
        let cause =
            "the identity provider answered with the error \(isReadable ? error : "of an unknown form")"
            + (VerifyError.readable(description).map { ": \($0)" } ?? "")
        switch error {
        case "access_denied":
            return SignInError(
                400, .accessDenied, "You were not signed in",
                "The sign-in at {idp} was cancelled or not allowed. You can start again.", cause: cause,
                returnTo: returnTo)
        case "login_required":
            return SignInError(
                400, .loginRequired, "You need to sign in",
                "You are not signed in at {idp}, or your sign-in there is too old. Sign in to continue.",
                cause: cause, returnTo: returnTo)
        case "temporarily_unavailable", "server_error":
            return unavailable(cause: cause, returnTo: returnTo)
        default:
            return SignInError(
                400, .signInRefused, "You were not signed in",
                "{idp} sent you back without signing you in. Try again.", cause: cause, returnTo: returnTo)
        }
    }

    static func noToken(returnTo: String) -> SignInError {
        SignInError(
            400, .noToken, "You were not signed in", "The response from {idp} was incomplete. Try again.",
            cause: "no token, or two", returnTo: returnTo)
    }

    /// The back channel failed. When the identity provider cannot be reached, trying again helps; after a refusal it does
    /// not.
    static func notVerified(_ error: BackChannelError, returnTo: String) -> SignInError {
        switch error {
        case .rejected(.invalidToken, _):
            SignInError(
                400, .invalidToken, "This sign-in has expired",
                "This sign-in link has expired or was already used. Start again: it only takes a click.",
                cause: "\(error)", returnTo: returnTo)
        case .rejected, .untrusted:
            SignInError(
                502, .notVerified, "You were not signed in",
                "Sign-in isn't working right now because of a setup problem on our side. Please contact our support.",
                cause: "\(error)", returnTo: returnTo)
        case .unavailable:
            unavailable(cause: "\(error)", returnTo: returnTo)
        }
    }

    /// The answer is verified, but a sign-out message has ended the session at the identity provider since.
    public static func signedOutMeanwhile(returnTo: String) -> SignInError {
        SignInError(
            400, .invalidToken, "This sign-in has expired",
            "You have signed out at {idp} in the meantime. Start again: it only takes a click.",
            cause: "a sign-out message came while the token was redeemed", returnTo: returnTo)
    }

    /// The answer is verified, but the user signed in before the moment that was demanded, or at one that is not proven.
    static func tooOld(authenticatedAt: Int?, returnTo: String) -> SignInError {
        SignInError(
            400, .signInTooOld, "Please sign in once more",
            "This page needs a more recent sign-in than the one you have at {idp}. Start again, and sign in when you are "
                + "asked.",
            cause: "the sign-in at the identity provider is too old: authenticated_at is "
                + (authenticatedAt.map { "\($0)" } ?? "missing"),
            returnTo: returnTo)
    }

    /// The answer is verified, but the user signed in by a method that is not among the accepted ones.
    static func methodNotAccepted(_ methods: [String], returnTo: String) -> SignInError {
        let readable = VerifyError.readable(methods.joined(separator: " ")) ?? "-"
        return SignInError(
            400, .methodNotAccepted, "This page needs another way to sign in",
            "The way you signed in at {idp} is not enough for this page. Start again, and sign in in another way.",
            cause: "none of the accepted sign-in methods was used: \(readable)", returnTo: returnTo)
    }

    /// The answer is verified, but the sign-in is not as strong as was demanded.
    static func tooWeak(_ acr: String?, returnTo: String) -> SignInError {
        SignInError(
            400, .signInTooWeak, "This page needs a stronger sign-in",
            "The way you signed in at {idp} is not enough for this page. Start again, and sign in with a passkey.",
            cause: "the sign-in at the identity provider is too weak: acr is "
                + (acr.flatMap(VerifyError.readable) ?? "missing"), returnTo: returnTo)
    }

    static func unavailable(cause: String, returnTo: String) -> SignInError {
        SignInError(
            503, .idpUnavailable, "We can't reach {idp}",
            "Your sign-in could not be completed. Try again in a moment.", cause: cause, returnTo: returnTo,
            retryAfter: 5)
    }

    private init(
        _ status: Int, _ code: Code, _ title: String, _ explanation: String, cause: String, returnTo: String = "/",
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.code = code.rawValue
        self.title = title
        self.explanation = explanation
        self.cause = cause
        startAgain = ReturnPath.start(returnTo: returnTo)
        self.retryAfter = retryAfter
    }
}
