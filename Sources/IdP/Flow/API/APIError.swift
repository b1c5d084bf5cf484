package import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SSOShared
import SSOWeb

/// An error of the JSON API: `{"error":"CODE","error_description":"…"}`.
package struct APIError: Error {
    package let status: HTTPResponse.Status
    /// Stable: apps act on it.
    package let code: String
    /// One sentence for the app's developer. The same for everything that must not be distinguishable.
    package let words: String
    /// A stable id, for the log.
    package let cause: String
    package var headers: HTTPFields = [:]

    package init(status: HTTPResponse.Status, code: String, words: String, cause: String, headers: HTTPFields = [:]) {
        (self.status, self.code, self.words, self.cause, self.headers) = (status, code, words, cause, headers)
    }

    static let wrongType = Self(
        status: .unsupportedMediaType, code: "invalid_request", words: "Content-Type must be application/json.",
        cause: "content_type")

    static let tooLarge = Self(
        status: .contentTooLarge, code: "invalid_request",
        words: "The body must have at most \(APIBody.maximumBytes) bytes.", cause: "body_size")

    package static func badRequest(_ words: String, cause: String) -> Self {
        Self(status: .badRequest, code: "invalid_request", words: words, cause: cause)
    }

    /// The request names no user.
    package static let unauthenticated = unauthorized(
        "unauthenticated", "Send an access token as Authorization: Bearer.", cause: "not_signed_in")

    /// An access token was sent, and it does not hold (RFC 6750 3.1).
    ///
    /// - Parameter cause: for the log. The answer is the same for each.
    package static func invalidToken(cause: String) -> Self {
        unauthorized(
            "invalid_token",
            "The Authorization is not one Bearer access token, or the token is unknown, expired or ended.",
            cause: cause,
            challenge: "Bearer realm=\"api\", error=\"invalid_token\"")
    }

    /// A 401 always has a challenge (RFC 9110 15.5.2), and that of Bearer at least one parameter (RFC 6750 3).
    package static func unauthorized(
        _ code: String, _ words: String, cause: String, challenge: String = "Bearer realm=\"api\""
    ) -> Self {
        Self(
            status: .unauthorized, code: code, words: words, cause: cause, headers: [.wwwAuthenticate: challenge])
    }
}
