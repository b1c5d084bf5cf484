import HTTPTypes
package import Hummingbird
import IdPAccounts
package import IdPAuthorization
import IdPClients
package import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// The kind of what the browser takes to a service behind the gate: `sgc_…`.
package enum GateGrantKind: SecretKind {
    package static let prefix = "sgc_"
}

/// The client protocol of services behind the gate. The browser comes from the host of the service, whose cookie has what proves
/// that the same browser comes back.
package struct GateProtocol: ClientProtocol {
    package typealias Settings = GateSettings
    /// The browser goes back at once.
    package static let grantKind = GrantKind(
        id: id, secret: GateGrantKind.self, lifetime: .seconds(60), needsReturnAddress: true, keepsPayload: true,
        refused: .gateRefused)

    /// Bytes. Proxies take lines of 8 KiB.
    private static let longestRepeated = 4 * 1024

    package let authorizer: Authorizer
    let page: CompletionPage

    package let resumePath = GatePath.complete
    package var answering: ClientAnswer { .grant(Self.grantKind, answer) }

    package func addRoutes(to router: inout FeatureRouter) {
        router.request(at: GatePath.authorize, use: authorize)
    }

    @Sendable private func authorize(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = request.queryFields
        let (id, clients) = (try fields.text("client_id") ?? "", authorizer.clients)
        // The browser goes on only to an address that no command has removed meanwhile.
        await clients.renew(for: request, context, isKnown: clients.client(id: id)?.gate != nil)
        guard let client = clients.client(id: id), let gate = client.gate else {
            context.record(
                Event(.authorizeRefused, by: .visitor, cause: "client_unknown", ["protocol": "\(Self.id)"]))
            throw FlowError.unknownClient.logged
        }
        guard let sent = GateRequest(fields) else {
            context.record(
                Event(
                    .authorizeRefused, by: .visitor, client: client.id, cause: "state_missing",
                    ["protocol": "\(Self.id)"]
                ))
            throw FlowError.unknownClient.logged
        }
        let prompt: SignInWishes.Prompt? = fields.texts("prompt") == ["select_account"] ? .selectAccount : nil
        return try await authorizer.authorize(
            ClientRequest(
                client: client, returnTo: gate.callback, wishes: SignInWishes(prompt: prompt),
                replayKey: SHA256.hash(Array("\(sent.state) \(sent.challenge)".utf8)), codeChallenge: sent.challenge,
                payload: sent.payload), by: self, request, context)
    }

    package func address(of flow: Flow) -> String? {
        guard flow.purpose == Self.id else { return nil }
        return GateRequest(payload: flow.payload)?.address(client: flow.subject)
    }

    @Sendable private func answer(
        _ grant: NewGrant, _ asked: ClientRequest, to user: SignedInUser, _ request: Request
    ) throws -> Response {
        guard let sent = GateRequest(payload: asked.payload) else { throw FlowError.noSuchFlow }
        let callback =
            Self.callback(asked, "grant=\(grant.wire)", sent.returnTo) + (sent.isAgain ? GateRequest.again : "")
        guard grant.hasAsked || grant.isRedeemedBefore else { return .redirect(to: callback, type: .found) }
        return try page.response(
            request, client: asked.client, account: user.account, callback: callback,
            other: sent.address(client: asked.client.id) + "&prompt=select_account", pace: .init(grant))
    }

    package func refuse(_ error: AuthorizationError, _ asked: ClientRequest, _ request: Request) -> Response {
        let returnTo = GateRequest(payload: asked.payload)?.returnTo ?? .root
        return .redirect(to: Self.callback(asked, "error=\(error.rawValue)", returnTo), type: .found)
    }

    /// Where the browser goes on the host of the service. The grant knows the address of the page. It stands here as well for the way
    /// back from an error, unless it is so long that proxies could refuse it with the grant.
    private static func callback(_ asked: ClientRequest, _ result: String, _ returnTo: ReturnAddress) -> String {
        let to = returnTo.encoded
        return "\(asked.returnTo)?\(result)" + (to.utf8.count <= longestRepeated ? "&to=\(to)" : "")
    }
}

/// A request of a service for a sign-in, as it waits meanwhile.
struct GateRequest: Sendable, Equatable {
    /// Another one for each time that a user comes from the service, so that tabs wait side by side.
    let state: String
    /// The hash of what the browser keeps on the host of the service.
    let challenge: String
    let returnTo: ReturnAddress
    /// Whether it follows one that ended with the cookie of another tab. The next such end is shown: a browser must not go in
    /// circles.
    let isAgain: Bool

    /// The end of an address that says ``isAgain``.
    static let again = "&again=1"
    static func isAgain(_ fields: URLEncodedFields) -> Bool { fields.count("again") > 0 }

    init(state: String, challenge: String, returnTo: ReturnAddress, isAgain: Bool) {
        (self.state, self.challenge, self.returnTo, self.isAgain) = (state, challenge, returnTo, isAgain)
    }

    /// Nil for a request that no service has made.
    init?(_ fields: URLEncodedFields) {
        guard let state = try? fields.text("state"), let challenge = try? fields.text("challenge"),
            Base64URL.decode(state)?.count == 16, CodeChallenge.isWellFormedChallenge(challenge)
        else { return nil }
        self.init(
            state: state, challenge: challenge, returnTo: ReturnAddress((try? fields.text("to")) ?? nil),
            isAgain: Self.isAgain(fields))
    }

    /// - Parameter payload: of a flow or a grant.
    init?(payload: String) {
        let parts = payload.split(separator: " ")
        guard (3...4).contains(parts.count) else { return nil }
        self.init(
            state: String(parts[0]), challenge: String(parts[1]), returnTo: ReturnAddress(String(parts[2])),
            isAgain: parts.count == 4)
    }

    var payload: String { "\(state) \(challenge) \(returnTo.text)\(isAgain ? " again" : "")" }

    func address(client: String) -> String {
        let fields = [("client_id", client), ("state", state), ("challenge", challenge)]
        return "\(GatePath.authorize)?\(PercentCoding.query(fields))&to=\(returnTo.encoded)\(isAgain ? Self.again : "")"
    }
}
