import HTTPTypes
package import Hummingbird
import IdPAccounts
package import IdPAuthorization
import IdPClients
package import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// The client protocol of `/auth/sso`: a request by GET, an answer on the completion page, a token that the client redeems
/// over the back channel.
package struct SSOProtocol: ClientProtocol {
    package typealias Settings = SSOSettings
    /// Long enough for a slow redirect, short enough that a stolen log is worthless.
    package static let grantKind = GrantKind(
        id: id, secret: SSOTokenKind.self, lifetime: .minutes(5), needsReturnAddress: false)

    package let authorizer: Authorizer
    let page: CompletionPage

    package init(authorizer: Authorizer, page: CompletionPage) {
        (self.authorizer, self.page) = (authorizer, page)
    }

    package let resumePath = SSOPath.complete
    package var answering: ClientAnswer { .grant(Self.grantKind, answer) }

    package func addRoutes(to router: inout FeatureRouter) {
        router.request(at: SSOPath.authorize, use: authorize)
    }

    @Sendable private func authorize(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let (fields, clients) = (request.queryFields, authorizer.clients)
        var query = AuthorizeQuery.read(fields, clients: clients)
        // The browser goes back only to an address that no command has removed meanwhile.
        if query.mayBeOfNewClient || query.isSentBack {
            await clients.renew(for: request, context, isKnown: !query.mayBeOfNewClient)
            query = AuthorizeQuery.read(fields, clients: clients)
        }
        switch query {
        case .refused(let error):
            context.record(error.event)
            guard let callback = error.callback else { throw error.page.logged }
            return .redirect(to: callback, type: .found)
        case .accepted(let client, let sent, let wishes):
            return try await authorizer.authorize(ClientRequest(sent, of: client, wishes), by: self, request, context)
        }
    }

    package func address(of flow: Flow) -> String? {
        AuthorizeRequest(flow)?.url(at: "", asking: SignInWishes(strength: flow.demand.strength))
    }

    @Sendable private func answer(
        _ grant: NewGrant, _ asked: ClientRequest, to user: SignedInUser, _ request: Request
    ) throws -> Response {
        guard let sent = AuthorizeRequest(asked) else { throw FlowError.noSuchFlow }
        return try page.response(
            request, client: asked.client, account: user.account, callback: sent.callback(token: grant.wire),
            other: sent.url(at: "", asking: SignInWishes(prompt: .selectAccount, strength: asked.wishes.strength)),
            pace: .init(grant))
    }

    package func refuse(_ error: AuthorizationError, _ asked: ClientRequest, _ request: Request) -> Response {
        let state = AuthorizeRequest(asked).map { Array($0.state.utf8) }
        let callback = AuthorizeRequest.errorCallback(
            redirectURI: asked.returnTo, error: error.rawValue, state: state)
        return .redirect(to: callback, type: .found)
    }
}

/// What the payload of a flow contains beside the client and the redirect URI, which every flow has: the challenge, or `-`, and
/// after a space the `state`. No JSON: it is read and written at every authorize.
private enum SSOPayload {
    static func text(_ sent: AuthorizeRequest) -> String { "\(sent.codeChallenge ?? "-") \(sent.state)" }

    static func read(_ text: String) -> (challenge: String?, state: String)? {
        guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let challenge = text[..<space]
        return (challenge == "-" ? nil : String(challenge), String(text[text.utf8.index(after: space)...]))
    }
}

extension AuthorizeRequest {
    /// The request that a flow was begun with; nil for a flow of another purpose.
    init?(_ flow: Flow) {
        guard flow.purpose == SSOProtocol.id else { return nil }
        self.init(clientID: flow.subject, redirectURI: flow.returnTo, payload: flow.payload)
    }

    /// The request that a protocol has accepted.
    init?(_ asked: ClientRequest) {
        self.init(clientID: asked.client.id, redirectURI: asked.returnTo, payload: asked.payload)
    }

    private init?(clientID: String, redirectURI: String, payload: String) {
        guard let payload = SSOPayload.read(payload) else { return nil }
        self.init(
            clientID: clientID, redirectURI: redirectURI, state: payload.state, codeChallenge: payload.challenge)
    }
}

extension ClientRequest {
    /// Its `state` makes a repeated request the same one. It is the client's secret: the log has 12 characters of its hash. Where any
    /// program may listen, others have read the `state`: there a request with another challenge is another one.
    init(_ sent: AuthorizeRequest, of client: Client, _ wishes: SignInWishes) {
        let isRead = client.isForAnyProgram(at: sent.redirectURI)
        self.init(
            client: client, returnTo: sent.redirectURI, wishes: wishes,
            replayKey: SHA256.hash(Array((isRead ? SSOPayload.text(sent) : sent.state).utf8)),
            codeChallenge: sent.codeChallenge,
            payload: SSOPayload.text(sent))
    }
}
