import SSOShared

/// What a token endpoint answered: tokens (RFC 6749 5.1, OpenID Connect Core 1.0, 3.1.3.3) or an error (RFC 6749 5.2).
/// Nothing of the tokens is logged.
///
/// Every member may be absent or `null`, and one of another type counts as absent: what a sign-in needs is missed where it
/// is used. `token_type`, `expires_in`, `scope` and all others are not read.
struct TokenAnswer: Sendable {
    let idToken: String?
    let accessToken: String?
    let refreshToken: String?
    /// The code of the error. An empty text does not count: an error has a code.
    let error: String?
    let errorDescription: String?

    init(_ json: JSONNode) {
        func text(_ name: String) -> String? { json[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        // Empty, it is a malformed ID token, and not an answer without one.
        idToken = json["id_token"]?.string
        accessToken = text("access_token")
        refreshToken = text("refresh_token")
        error = text("error")
        errorDescription = text("error_description")
    }
}
