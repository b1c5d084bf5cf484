package import HTTPTypes
package import Hummingbird
import IdPClients
import NIOCore
package import SSOShared
import SSOWeb

/// A signed post of another server that is refused: the words on the wire apart from the cause, which only the log gets.
package struct SignedPostError: Error {
    let status: HTTPResponse.Status
    package let code: VerifyError
    /// One sentence for the client's developer. The same for everything that must not be distinguishable.
    let words: String
    /// A stable id.
    package let cause: String
    /// The client, or what the request names as its client.
    package var client: String?
    /// The flow and the session of the token.
    package var flow: String?
    package var session: String?
    /// The client that the token was issued to, if it was another one.
    package var issuedTo: String?
    /// More about the cause, without a value of the request.
    package var detail: String?
    /// What would have made a wrong signature right, for operators alone.
    var near: NearSecret?
    /// Whether the transaction that refused it has written its row of the audit log.
    package var isAudited = false
    var retryAfter: Duration?

    package init(
        status: HTTPResponse.Status, code: VerifyError, words: String, cause: String, client: String? = nil,
        detail: String? = nil, retryAfter: Duration? = nil
    ) {
        (self.status, self.code, self.words, self.cause, self.client) = (status, code, words, cause, client)
        (self.detail, self.retryAfter) = (detail, retryAfter)
    }

    package var response: Response {
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let retryAfter { headers[.retryAfter] = String(max(1, retryAfter.secondsRoundedUp)) }
        return Response(
            status: status, headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: code.body(description: words))))
    }

    package static let wrongMethod = Self(
        status: .methodNotAllowed, code: .invalidRequest, words: "Use POST.", cause: "method")

    package static func rateLimited(_ wait: Duration) -> Self {
        Self(
            status: .tooManyRequests, code: .rateLimited, words: "Too many requests with a wrong signature.",
            cause: "bad_signatures", retryAfter: wait)
    }
}
