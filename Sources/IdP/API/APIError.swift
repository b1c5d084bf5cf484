import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SSOShared
import SSOWeb

/// An error of the JSON API: `{"error":"CODE","error_description":"…"}`.
struct APIError: Error {
    let status: HTTPResponse.Status
    /// Stable: apps act on it.
    let code: String
    /// One sentence for the app's developer. The same for everything that must not be distinguishable.
    let words: String
    /// A stable id, for the log.
    let cause: String
    var headers: HTTPFields = [:]

    static let wrongType = Self(
        status: .unsupportedMediaType, code: "invalid_request", words: "Content-Type must be application/json.",
        cause: "content_type")

    static let tooLarge = Self(
        status: .contentTooLarge, code: "invalid_request",
        words: "The body must have at most \(APIBody.maximumBytes) bytes.", cause: "body_size")

    static func badRequest(_ words: String, cause: String) -> Self {
        Self(status: .badRequest, code: "invalid_request", words: words, cause: cause)
    }

    /// A page of another site sent the request.
    static let otherSite = Self(
        status: .forbidden, code: "cross_site", words: "Pages of other sites cannot use this interface.",
        cause: "cross_site")

    static let notFound = Self(
        status: .notFound, code: "not_found", words: "The user has no device with this id.", cause: "device_unknown")

    /// Wrong, used, expired or unknown: all the same (docs/architecture.md, "no account enumeration").
    static let invalidCode = unauthorized(
        "invalid_code", "The code is wrong, used or expired, or the challenge is unknown.", cause: "code_rejected")

    /// The sign-in of the access token is too old for a change of how the user signs in.
    static let freshSignInRequired = Self(
        status: .forbidden, code: "fresh_sign_in_required", words: "Sign in again, and then repeat the request.",
        cause: "sign_in_too_old")

    /// Wrong, used, expired or unknown: all the same. The access token holds, so the status is not 401.
    static let invalidLinkCode = Self(
        status: .badRequest, code: "invalid_code",
        words: "The code is wrong, used or expired, or the verifier is wrong.", cause: "link_code_rejected")

    static let linkedElsewhere = Self(
        status: .conflict, code: "linked_elsewhere",
        words: "The user's account at the provider belongs to another account.", cause: "linked_elsewhere")

    static func paused(_ wait: Duration) -> Self {
        Self(
            status: .tooManyRequests, code: "rate_limited", words: "Too many wrong codes. Try again after Retry-After.",
            cause: "guesses_paused", headers: [.retryAfter: String(max(1, wait.secondsRoundedUp))])
    }

    /// The request names no user.
    static let unauthenticated = unauthorized(
        "unauthenticated", "Send an access token as Authorization: Bearer.", cause: "not_signed_in")

    /// An access token was sent, and it does not hold (RFC 6750 3.1).
    ///
    /// - Parameter cause: for the log. The answer is the same for each.
    static func invalidToken(cause: String) -> Self {
        unauthorized(
            "invalid_token",
            "The Authorization is not one Bearer access token, or the token is unknown, expired or ended.",
            cause: cause,
            challenge: "Bearer realm=\"api\", error=\"invalid_token\"")
    }

    /// A 401 always has a challenge (RFC 9110 15.5.2), and that of Bearer at least one parameter (RFC 6750 3).
    private static func unauthorized(
        _ code: String, _ words: String, cause: String, challenge: String = "Bearer realm=\"api\""
    ) -> Self {
        Self(
            status: .unauthorized, code: code, words: words, cause: cause, headers: [.wwwAuthenticate: challenge])
    }
}

/// The start of every request to the JSON API: refuses pages of other sites, and answers errors in JSON.
///
/// The answers have no CORS header, so a browser gives them to no other site. This also keeps other sites from sending.
struct APIGuard: RouterMiddleware {
    typealias Context = VisitorContext

    let forms: CSRFTokens

    func handle(
        _ request: Request, context: VisitorContext, next: (Request, VisitorContext) async throws -> Response
    ) async throws -> Response {
        do {
            guard forms.isSameOrigin(request) else { throw APIError.otherSite }
            return try await next(request, context)
        } catch let error as APIError {
            // An app that is signed out asks as often as it comes to the foreground.
            context.logger.log(
                level: error.code == APIError.unauthenticated.code ? .debug : .notice, "request_refused",
                metadata: [
                    "status": .number(error.status.code), "code": "\(error.code)", "cause": "\(error.cause)",
                ])
            return .json(
                [.init("error", error.code), .init("error_description", error.words)], status: error.status,
                headers: error.headers)
        }
    }
}

extension Response {
    /// An answer of the JSON API.
    static func json(
        _ members: [JSONText.Member], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(
            status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: JSONText.object(members))))
    }
}
