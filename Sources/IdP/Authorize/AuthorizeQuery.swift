import HTTPTypes
import SSOShared
import SSOWeb

/// Owns the rule which authorize requests are accepted, which are sent back with an error, and which get an error page.
/// The browser is only ever sent to a registered redirect URI.
enum AuthorizeQuery {
    case accepted(Client, AuthorizeRequest)
    /// The client and its redirect URI are right, but something else is wrong: redirect there with the error.
    case refused(callback: String)

    /// - Throws: ``AuthorizeError/unknownClient`` where no redirect URI can be trusted: a page, never a redirect.
    static func read(_ fields: URLEncodedFields, clients: ClientRegistry) throws -> Self {
        guard let id = try? fields.bytes("client_id"), let client = clients.client(id: id),
            let uri = try? fields.bytes("redirect_uri"), client.hasRedirectURI(uri)
        else { throw AuthorizeError.unknownClient }
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

    /// The optional `code_challenge` (RFC 7636), S256 only; nil if it is present and malformed.
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

/// What can go wrong with an authorize request, in words for the user.
enum AuthorizeError {
    /// The client or its redirect URI is not registered. The page neither redirects nor links there.
    static let unknownClient = PublicError(
        .badRequest, code: "unknown_client", title: Text("error.unknown-client.title"),
        explanation: Text("error.unknown-client"),
        cause: "unknown client, or a redirect URI that is not registered for it")

    /// The request is not a page of its own, opened by the user.
    static let notAPage = PublicError(
        .badRequest, code: "not_a_page", title: Text("error.not-a-page.title"), explanation: Text("error.not-a-page"),
        cause: "Sec-Fetch or Sec-Purpose names a frame, a part of a page or a prefetch")

    /// There never was such a flow in this browser, or it ended long ago.
    static let noSuchFlow = PublicError(
        .notFound, code: "no_such_flow", title: Text("error.no-such-flow.title"),
        explanation: Text("error.no-such-flow"))

    /// What to answer for a flow that is not pending in this session.
    static func notPending(_ id: String, _ session: Session, _ clients: ClientRegistry) -> PublicError {
        session[PendingFlows.self].ended(id).map { ended($0, clients.client(id: $0.clientID)) } ?? noSuchFlow
    }

    /// The flow has ended, for any reason: one next step for all of them.
    private static func ended(_ flow: PendingFlows.EndedFlow, _ client: Client?) -> PublicError {
        // An app has no page to start on. The web address of its client is used, if there is one.
        let start = client?.startPage(for: flow.redirectURI) ?? client?.startPage()
        return PublicError(
            .gone, code: "flow_over", title: Text("error.flow-over.title"),
            explanation: client.map { Text("error.flow-over", ["client": $0.name]) } ?? Text("error.flow-over-unknown"),
            nextStep: start.map {
                .init(label: Text("error.flow-over.again", ["client": client?.name ?? ""]), href: $0)
            } ?? .home)
    }
}
