/// The body of an answer 200 on the back channel.
protocol BackChannelReply: Sendable {
    /// The client that has asked.
    var clientID: String { get }
    /// Reads a body whose signature has been checked.
    init(body: [UInt8]) throws(VerifyBodyError)
}

extension VerifyReply: BackChannelReply {}
extension PingAnswer: BackChannelReply {}
extension SessionAnswer: BackChannelReply {
    /// The same, if it is about the user that was asked about.
    func about(_ user: String) throws(BackChannelError) -> SessionAnswer {
        if case .active(let reply) = self, !ConstantTime.equal(reply.user.id, user) {
            throw .untrusted("the answer is about another user")
        }
        return self
    }
}

/// Checks an answer of ``SSOPath/verify`` or ``SSOPath/session``. Any doubt is an error.
package struct BackChannelAnswer {
    /// The signature of the request that was sent.
    let request: RequestSignature
    let clientID: String
    let secret: SharedSecret

    func read<Reply: BackChannelReply>(
        _ response: HTTPClient.Response, requireSignature: Bool, as type: Reply.Type = VerifyReply.self
    ) throws(BackChannelError) -> Reply {
        switch response.status {
        case 200: break
        case 400..<500: throw Self.refusal(response)
        case 500..<600: throw .unavailable("status \(response.status)")
        // Among them redirects: following one would send the token to another server.
        default: throw .untrusted("status \(response.status)")
        }
        // Checked before anything in the body is read, as at the other end.
        if requireSignature { try checkSignature(response) }
        guard Self.isJSON(response) else { throw .untrusted("the answer is not JSON by its content type") }
        let reply: Reply
        do { reply = try Reply(body: response.body) } catch { throw .untrusted("the answer: \(error)") }
        // The answer to a token of another client names that client.
        guard ConstantTime.equal(reply.clientID, clientID) else { throw .untrusted("the answer is for another client") }
        return reply
    }

    private func checkSignature(_ response: HTTPClient.Response) throws(BackChannelError) {
        let values = response.values(RequestSignature.headerName.lowercased())
        guard let value = values.first else { throw .untrusted("the answer is not signed") }
        guard values.count == 1, let given = RequestSignature(headerValue: value),
            given.matches(.response(body: response.body, to: request, secret: secret))
        else { throw .untrusted("the answer's signature is wrong") }
    }

    private static func isJSON(_ response: HTTPClient.Response) -> Bool {
        let types = response.values("content-type")
        return types.count == 1 && isJSON(types[0])
    }

    /// Whether a media type is JSON, with parameters or without.
    package static func isJSON(_ type: String) -> Bool {
        guard let essence = type.split(separator: ";").first else { return false }
        return essence.lowercased().filter { $0 != " " } == "application/json"
    }

    /// Only an answer with an error code is a refusal. A 404 page of another server is not.
    private static func refusal(_ response: HTTPClient.Response) -> BackChannelError {
        if response.status == 429 { return .unavailable("rate limited") }
        return switch VerifyError(body: response.body) {
        case .rateLimited: .unavailable("rate limited")
        case .temporarilyUnavailable: .unavailable("temporarily unavailable")
        case .some(let code): .rejected(code, description: VerifyError.description(in: response.body))
        case nil: .untrusted("status \(response.status) without an error code")
        }
    }
}

/// Why a call on the back channel failed. A user whose token was to be redeemed is not signed in, in every case. A question
/// about a session says nothing then.
public enum BackChannelError: Error, Sendable, Equatable {
    /// The identity provider has refused. After `invalid_token` only a new sign-in helps. `invalid_signature` and
    /// `invalid_request` are errors in the configuration or code of this side.
    ///
    /// `description` is the identity provider's sentence for the log. It is not signed: do not act on it.
    case rejected(VerifyError, description: String?)
    /// No answer, or one that says "later": down, too slow, too busy. The token may have been consumed: **do not repeat
    /// the call, start a new sign-in.**
    case unavailable(String)
    /// An answer that cannot be trusted: wrong certificate, wrong signature, for another client, a redirect, not JSON.
    case untrusted(String)
}

extension BackChannelError: CustomStringConvertible {
    /// For the log. Contains no token, secret, signature or body.
    public var description: String {
        switch self {
        case .rejected(let code, let description):
            "rejected: \(code.rawValue)" + (description.map { ". \($0)" } ?? "")
        case .unavailable(let cause): "unavailable: \(cause)"
        case .untrusted(let cause): "untrusted: \(cause)"
        }
    }
}
