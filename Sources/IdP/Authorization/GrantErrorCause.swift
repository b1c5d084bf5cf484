import Storage

/// Why a grant was not accepted. The raw values are stable: the log has them as `cause`.
package enum GrantErrorCause: String, Sendable, CaseIterable {
    /// There is no such token: never issued, replaced by a newer one of the same flow, or purged.
    case unknown
    /// The text does not have the form of a token.
    case malformedToken = "malformed_token"
    /// The verifier does not have the form of RFC 7636 4.1.
    case malformedVerifier = "malformed_code_verifier"
    /// It was issued to another client, and was used, burnt or replaced before.
    case otherClient = "token_of_other_client"
    /// It was redeemed before: the client sent it twice, or an attacker has seen it (RFC 9700 4.5).
    case used
    /// The account is disabled, or `IDP_ALLOWED_EMAILS` does not name its address.
    case accountNotAllowed = "account_not_allowed"
    /// The user may not enter the client any more.
    case noAccess = "no_access"
    /// The client needs a stronger sign-in now than the one it was issued for.
    case strength
    /// Another client presented it, its account was not allowed to sign in or to enter at an earlier attempt, or its client was
    /// disabled, removed or dropped since.
    case void
    case expired
    /// Its time of issue is in the future: the clock was set back.
    case clock
    /// The client sends another address than the one of the request.
    case redirectURI = "redirect_uri_differs"
    /// The address that it was issued for is not registered any more.
    case redirectURIDropped = "redirect_uri_dropped"
    case verifierMissing = "code_verifier_missing"
    case verifierUnexpected = "code_verifier_unexpected"
    case verifierWrong = "code_verifier_wrong"
    /// The user has signed out, or the session has expired.
    case sessionEnded = "session_ended"
    /// All sessions of the account were ended after the token was issued.
    case accountSignedOut = "account_signed_out"

    /// The first cause that applies to a row of `GrantStore`.
    init(_ row: SQLRow) throws {
        func holds(_ name: String) throws -> Bool { try row.integer(name) != 0 }
        self =
            if try !holds("is_own") {
                .otherClient
            } else if try holds("is_used") {
                .used
            } else if try !holds("may_sign_in") {
                .accountNotAllowed
            } else if try !holds("may_enter") {
                .noAccess
            } else if try !holds("is_strong") {
                .strength
            } else if try !holds("is_registered") {
                .redirectURIDropped
            } else if try holds("is_void") {
                .void
            } else if try holds("is_expired") {
                .expired
            } else if try holds("is_early") {
                .clock
            } else if try !holds("has_redirect") {
                .redirectURI
            } else if try holds("has_challenge") {
                try holds("has_session") ? .accountSignedOut : .sessionEnded
            } else if try !holds("wants_verifier") {
                .verifierUnexpected
            } else {
                try holds("has_verifier") ? .verifierWrong : .verifierMissing
            }
    }

    /// Whether an attack may be under way.
    package var isAlert: Bool { self == .used || self == .otherClient }
}
