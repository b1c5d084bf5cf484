import HTTPTypes
import Hummingbird
import NIOCore
import SSOShared
import SSOWeb

/// A refusal on the back channel: the wire's words apart from the cause, which only the log gets.
struct VerifyRefusal: Error {
    let status: HTTPResponse.Status
    let error: VerifyError
    /// One sentence for the partner's developer. The same for everything that must not be told apart.
    let words: String
    let cause: String
    var client: String?
    var flow: String?
    /// Somebody holds what is not theirs.
    var isAlert = false
    var retryAfter: Duration?

    var response: Response {
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let retryAfter { headers[.retryAfter] = String(max(1, retryAfter.secondsRoundedUp)) }
        return Response(
            status: status, headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: error.body(description: words))))
    }

    static let wrongMethod = Self(
        status: .methodNotAllowed, error: .invalidRequest, words: "This address takes POST only.", cause: "method")

    static let wrongType = Self(
        status: .unsupportedMediaType, error: .invalidRequest, words: "The body must be application/json.",
        cause: "content type")

    static let tooLarge = Self(
        status: .contentTooLarge, error: .invalidRequest,
        words: "The body may have at most \(VerifyRequest.maximumBytes) bytes.", cause: "body size")

    /// - Parameter claimed: the registered client that the request says it is from, for the log.
    static func badSignature(claimed: String?) -> Self {
        Self(
            status: .unauthorized, error: .invalidSignature,
            words: "X-SSO-Signature is missing, malformed or wrong, or X-SSO-Client is not registered. "
                + "Compare the secret's fingerprint in both logs.",
            cause: "signature", client: claimed, isAlert: true)
    }

    static func rateLimited(_ wait: Duration) -> Self {
        Self(
            status: .tooManyRequests, error: .rateLimited, words: "Too many requests with a wrong signature.",
            cause: "bad signatures", retryAfter: wait)
    }

    static func badRequest(_ cause: String, client: String) -> Self {
        Self(
            status: .badRequest, error: .invalidRequest,
            words: "The body must be one JSON object with the text \"token\" and, if at all, \"redirect_uri\".",
            cause: cause, client: client)
    }

    static func badToken(_ client: String, _ cause: String) -> Self {
        Self(
            status: .unauthorized, error: .invalidToken,
            words: "The token is unknown, expired, used, void, or was not issued to you for this redirect URI.",
            cause: cause, client: client)
    }

    static func badToken(_ client: String, _ fault: SSOTokenStore.TokenFault) -> Self {
        var refusal = badToken(client, fault.session.map { "\(fault.cause), of session \($0)" } ?? fault.cause)
        (refusal.isAlert, refusal.flow) = (fault.isReplay, fault.flow)
        return refusal
    }

    static func leakedToken(_ client: String, owner: String) -> Self {
        var refusal = badToken(client, "token of \(owner), burnt: it has leaked")
        refusal.isAlert = true
        return refusal
    }

    static let unavailable = Self(
        status: .serviceUnavailable, error: .temporarilyUnavailable,
        words: "Try again in a moment. Nothing was used up.",
        cause: "storage", retryAfter: .seconds(1))
}
