import SSOShared
import SSOWeb

/// Owns the rule which authorize requests are answered, which are sent back, and which are not to be trusted with
/// either: the browser only ever goes to a registered address (invariant I5).
enum AuthorizeQuery {
    case accepted(PartnerClient, AuthorizeRequest)
    /// The client is known and the address is its own, but the rest is wrong: back there, with the error.
    case refused(callback: String)

    /// - Throws: ``AuthorizeFailure/unknownPartner`` where there is no address to trust: a page, never a redirect.
    static func read(_ fields: URLEncodedFields, clients: ClientRegistry) throws -> Self {
        guard let id = try? fields.bytes("client_id"), let client = clients.client(id: id),
            let uri = try? fields.bytes("redirect_uri"), client.hasRedirectURI(uri)
        else { throw AuthorizeFailure.unknownPartner }
        let redirectURI = String(decoding: uri, as: UTF8.self)

        let given = (try? fields.bytes("state")) ?? nil
        guard let given, let state = String(validating: given, as: UTF8.self), AuthorizeRequest.isValidState(state),
            let challenge = challenge(fields)
        else {
            let echoed = given.flatMap { $0.isEmpty ? nil : $0 }
            return .refused(
                callback: AuthorizeRequest.errorCallback(
                    redirectURI: redirectURI, error: "invalid_request", state: echoed))
        }
        return .accepted(
            client,
            AuthorizeRequest(
                clientID: client.id, redirectURI: redirectURI, state: state, codeChallenge: challenge.value))
    }

    /// The optional `code_challenge` (RFC 7636), S256 only; nil where it stands there and is ill-formed.
    private static func challenge(_ fields: URLEncodedFields) -> (value: String?, Void)? {
        let (given, method): (String?, String?)
        do {
            given = try fields.text("code_challenge")
            method = try fields.text("code_challenge_method")
        } catch {
            return nil
        }
        guard let given else { return method == nil ? (nil, ()) : nil }
        guard method == CodeChallenge.method, CodeChallenge.isWellFormedChallenge(given) else { return nil }
        return (given, ())
    }
}
