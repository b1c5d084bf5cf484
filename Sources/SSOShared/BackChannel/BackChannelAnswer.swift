/// Decides what an answer of ``SSOPath/verify`` is worth. Every doubt ends in a failure, none in a person signed in.
struct BackChannelAnswer {
    /// The signature of the request that was sent.
    let question: RequestSignature
    let clientID: String
    let secret: SharedSecret

    func read(
        _ response: HTTPClient.Response, requireSignature: Bool
    ) throws(BackChannelFailure) -> VerifyReply {
        switch response.status {
        case 200: break
        case 400..<500: throw Self.refusal(response)
        case 500..<600: throw .unavailable("status \(response.status)")
        // A redirect among them: following one would hand the token to whoever it names.
        default: throw .untrusted("status \(response.status)")
        }
        // Before anything in the body is read, as at the other end.
        if requireSignature { try checkSignature(response) }
        guard Self.isJSON(response) else { throw .untrusted("the answer is not JSON by its content type") }
        let reply: VerifyReply
        do { reply = try VerifyReply(body: response.body) } catch { throw .untrusted("the answer: \(error)") }
        // The token of another partner's user, replayed at this one, would come back with that partner's name.
        guard ConstantTime.equal(reply.clientID, clientID) else { throw .untrusted("the answer is for another client") }
        return reply
    }

    private func checkSignature(_ response: HTTPClient.Response) throws(BackChannelFailure) {
        let values = response.values(RequestSignature.headerName.lowercased())
        guard let value = values.first else { throw .untrusted("the answer is not signed") }
        guard values.count == 1, let given = RequestSignature(headerValue: value),
            given.matches(.response(body: response.body, to: question, secret: secret))
        else { throw .untrusted("the answer's signature is wrong") }
    }

    private static func isJSON(_ response: HTTPClient.Response) -> Bool {
        let types = response.values("content-type")
        guard types.count == 1, let essence = types.first?.split(separator: ";").first else { return false }
        return essence.lowercased().filter { $0 != " " } == "application/json"
    }

    /// A refusal counts as one only in the words of the contract: a 404 page of some other server says nothing.
    private static func refusal(_ response: HTTPClient.Response) -> BackChannelFailure {
        if response.status == 429 { return .unavailable("rate limited") }
        return switch VerifyError(body: response.body) {
        case .rateLimited: .unavailable("rate limited")
        case .temporarilyUnavailable: .unavailable("temporarily unavailable")
        case .some(let code): .rejected(code)
        case nil: .untrusted("status \(response.status) without an error code")
        }
    }
}
