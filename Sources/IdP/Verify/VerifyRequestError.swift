import HTTPTypes
import Hummingbird
import NIOCore
import SSOShared
import SSOWeb

/// An error of the back channel: the words on the wire apart from the cause, which only the log gets.
struct VerifyRequestError: Error {
    let status: HTTPResponse.Status
    let code: VerifyError
    /// One sentence for the client's developer. The same for everything that must not be distinguishable.
    let words: String
    let cause: String
    var client: String?
    var flow: String?
    /// An attack may be under way: logged as a warning.
    var isAlert = false
    var retryAfter: Duration?

    var response: Response {
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let retryAfter { headers[.retryAfter] = String(max(1, retryAfter.secondsRoundedUp)) }
        return Response(
            status: status, headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: code.body(description: words))))
    }

    static let wrongMethod = Self(
        status: .methodNotAllowed, code: .invalidRequest, words: "Use POST.", cause: "method")

    static let wrongType = Self(
        status: .unsupportedMediaType, code: .invalidRequest, words: "The body must be application/json.",
        cause: "content type")

    static let tooLarge = Self(
        status: .contentTooLarge, code: .invalidRequest,
        words: "The body must have at most \(VerifyRequest.maximumBytes) bytes.", cause: "body size")

    /// - Parameter claimed: the registered client that the request names, for the log.
    static func badSignature(claimed: String?) -> Self {
        Self(
            status: .unauthorized, code: .invalidSignature,
            words: "X-SSO-Signature is missing, malformed or wrong, or X-SSO-Client is not registered. "
                + "Compare the secret's fingerprint in both logs.",
            cause: "signature", client: claimed, isAlert: true)
    }

    static func rateLimited(_ wait: Duration) -> Self {
        Self(
            status: .tooManyRequests, code: .rateLimited, words: "Too many requests with a wrong signature.",
            cause: "bad signatures", retryAfter: wait)
    }

    static func badRequest(_ cause: String, client: String) -> Self {
        Self(
            status: .badRequest, code: .invalidRequest,
            words:
                "The body must be one JSON object with the string \"token\" and, optionally, the strings \"redirect_uri\" and \"code_verifier\".",
            cause: cause, client: client)
    }

    static func badToken(_ client: String, _ cause: String) -> Self {
        Self(
            status: .unauthorized, code: .invalidToken,
            words: "The token is unknown, expired, used, void, or was not issued to you for this redirect URI.",
            cause: cause, client: client)
    }

    static func badToken(_ client: String, _ rejection: SSOTokenStore.Rejection) -> Self {
        var error = badToken(
            client, rejection.session.map { "\(rejection.cause), of session \($0)" } ?? rejection.cause)
        (error.isAlert, error.flow) = (rejection.isReplay, rejection.flow)
        return error
    }

    static func leakedToken(_ client: String, owner: String) -> Self {
        var error = badToken(client, "token_of_other_client issued to \(owner), void from now on")
        error.isAlert = true
        return error
    }

    static let unavailable = Self(
        status: .serviceUnavailable, code: .temporarilyUnavailable,
        words: "Try again in a moment. The token is still valid.",
        cause: "storage", retryAfter: .seconds(1))
}
