import HTTPTypes
import Hummingbird
import IdPAuthorization
import IdPClients
import Logging
import NIOCore
import SSOShared
import SSOWeb
import Storage

/// A request of a client's program that is refused (RFC 6749 5.2, RFC 6750 3.1): the words on the wire apart from the cause, which
/// only the log gets.
struct OAuthError: Error {
    var status: HTTPResponse.Status = .badRequest
    let code: String
    /// One ASCII sentence for the client's developer. The same for everything that must not be distinguishable.
    let words: String
    /// A stable id.
    let cause: String
    var client: String?
    var flow: String?
    var session: String?
    /// Whether the request had an `Authorization` field, which the answer must challenge (RFC 6749 5.2).
    var challenge: String?
    /// An attack may be under way: logged as a warning.
    var isAlert = false
    /// What would have been right in place of a wrong secret, for operators alone.
    var near: NearSecret?
    /// Whether the transaction that refused it has written its row of the audit log.
    var isAudited = false
    var retryAfter: Duration?

    init(
        _ code: String, _ status: HTTPResponse.Status = .badRequest, cause: String, _ words: String,
        client: String? = nil
    ) {
        (self.status, self.code, self.cause, self.words, self.client) = (status, code, cause, words, client)
    }

    init(_ error: ParameterError) {
        self.init("invalid_request", cause: error.cause, error.explanation + ".")
    }

    var response: Response {
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let retryAfter { headers[.retryAfter] = String(max(1, retryAfter.secondsRoundedUp)) }
        if let challenge { headers[.wwwAuthenticate] = challenge }
        let body = JSONText.bytes([.init("error", code), .init("error_description", words)])
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// - Parameter failure: of the storage, mostly.
    static func unavailable(after failure: any Error) -> Self {
        let isOutcomeKnown = (failure as? DatabaseError)?.isOutcomeKnown ?? true
        var error = Self(
            "temporarily_unavailable", .serviceUnavailable, cause: "storage",
            isOutcomeKnown ? "Try again in a moment. Nothing was used up." : "Try again in a moment.")
        error.retryAfter = .seconds(1)
        return error
    }

    static func rateLimited(_ wait: Duration) -> Self {
        var error = Self(
            "rate_limited", .tooManyRequests, cause: "bad_secrets",
            "Too many requests with a wrong secret, code or token.")
        error.retryAfter = wait
        return error
    }

    static func invalidGrant(_ cause: String, _ words: String, client: String) -> Self {
        Self("invalid_grant", cause: cause, words, client: client)
    }

    static let wordsOfRefreshToken =
        "The refresh token is unknown, expired or revoked, or its user has signed out."

    var isInvalidGrant: Bool { code == "invalid_grant" }

    /// The client, or what it has proven itself with, was dropped since its request was checked.
    static func dropped(_ client: ClientAuthentication.Proven) -> Self {
        var error = Self(
            "invalid_client", .unauthorized, cause: "client_dropped",
            "The client is not registered for OpenID Connect, or its secret is wrong or missing.",
            client: client.client.id)
        error.challenge = client.challenge
        return error
    }

    /// The answer, after the log and the audit log have the cause.
    func answer(_ context: VisitorContext) -> Response {
        // What a request names as its client is a text of anybody: the row has only one of the form of an id.
        var further: Logger.Metadata = [
            "error": "\(code)", "client": "\(client ?? "-")", "protocol": "\(OIDCProtocol.id)",
        ]
        if let near { further["near"] = "\(near.detail)" }
        let event = Event(
            .tokenRequestRefused, by: .visitor,
            client: client.flatMap { ClientID.isWellFormedForOpenID($0) ? $0 : nil },
            session: session, flow: flow, cause: cause, detail: near?.detail, further,
            level: isAlert ? .warning : nil)
        context.record(isAudited ? event.only(in: .log) : event)
        return response
    }
}

extension OAuthError {
    /// - Parameter cause: why a code was refused. The transaction has written its row of the audit log.
    init(_ cause: GrantErrorCause, client: String) {
        self = .invalidGrant(cause.rawValue, cause.wordsOfCode, client: client)
        (isAlert, isAudited) = (cause.isAlert, true)
    }

    init(_ rejection: GrantStore.GrantError, client: String) {
        self.init(rejection.cause, client: client)
        (flow, session) = (rejection.flow, rejection.session)
    }
}

extension GrantErrorCause {
    /// The sentence for the client's developer. A code of another client is described as an unknown one.
    fileprivate var wordsOfCode: String {
        switch self {
        case .unknown, .otherClient, .malformedToken:
            "The code is unknown. It was never issued, or a newer one of the same request has replaced it."
        case .used: "The code has been used already. The tokens that it gave are revoked."
        case .accountNotAllowed, .sessionEnded, .accountSignedOut:
            "The user has signed out at the identity provider since the code was issued."
        case .noAccess: "The user has lost access to this client since the code was issued."
        case .strength: "This client needs a stronger sign-in since the code was issued. Start a new sign-in."
        case .void: "The code was revoked. Start a new sign-in."
        case .expired: "The code has expired. A code is valid for 60 seconds."
        case .clock: "The code is not valid yet. Start a new sign-in."
        case .redirectURI: "redirect_uri must be that of the authorization request, byte for byte."
        case .redirectURIDropped: "This redirect_uri is no longer registered at the identity provider."
        case .verifierMissing: "code_verifier is missing. The authorization request had a code_challenge."
        case .verifierUnexpected: "code_verifier was sent, but the authorization request had no code_challenge."
        case .malformedVerifier: "code_verifier must have 43 to 128 unreserved characters."
        case .verifierWrong:
            "code_verifier does not match the code_challenge of the authorization request."
        }
    }
}
