import HTTPTypes
import Hummingbird
import SSOShared
import SSOWeb

@testable import IdPAccounts
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPServer

/// A client protocol of the tests, added as any is. Nothing of it is as in SSO: its parameters have other names, its `mark` may
/// be missing, its ticket works for 60 seconds at a route of its own, and its error answer has no `error`.
struct TicketProtocol: ClientProtocol {
    static let added = AddedFeatures(protocols: [TicketSettings.self]) {
        [TicketFeature(authorization: try Authorization($0, $1))] + (try OneClickMethod.added.features($0, $1))
    }

    typealias Settings = TicketSettings
    static let askPath = "/ticket/ask"
    static let redeemPath = "/ticket/redeem"

    enum TicketKind: SecretKind {
        static let prefix = "ST-"
        static let form = SecretForm.hex
    }

    let authorizer: Authorizer
    let page: CompletionPage

    let resumePath = "/ticket/go-on"
    var answering: ClientAnswer { .grant(grantKind, answer) }
    private let grantKind = GrantKind(
        id: id, secret: TicketKind.self, lifetime: .seconds(60), needsReturnAddress: true, keepsPayload: true,
        isVoidAfterAnyAttempt: true)

    func addRoutes(to router: inout FeatureRouter) {
        router.request(at: Self.askPath, use: ask)
        router.signedPost(at: Self.redeemPath, use: redeem)
    }

    @Sendable private func ask(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = request.queryFields
        let back = try fields.text("back") ?? ""
        guard let client = authorizer.clients.client(id: try fields.text("app") ?? ""),
            client.mayReturn(to: back, by: Self.id)
        else { throw FlowError.unknownClient }
        let wishes =
            switch try fields.text("ask") {
            case "always": SignInWishes(prompt: .login)
            case "never": SignInWishes(prompt: .silent)
            case "choose": SignInWishes(prompt: .selectAccount)
            default: SignInWishes()
            }
        let mark = try fields.text("mark")
        let asked = ClientRequest(
            client: client, returnTo: back, wishes: wishes, replayKey: mark.map { SHA256.hash(Array($0.utf8)) },
            payload: mark ?? "", resuming: FlowID(try fields.text("resume") ?? ""))
        return try await authorizer.authorize(asked, by: self, request, context)
    }

    func address(of flow: Flow) -> String? {
        address(flow.subject, flow.returnTo, flow.payload, [("resume", flow.id.text)])
    }

    private func address(_ app: String, _ back: String, _ payload: String, _ more: [(String, String)]) -> String {
        Self.askPath + "?" + PercentCoding.query([("app", app), ("back", back)] + Self.mark(payload) + more)
    }

    private static func mark(_ payload: String) -> [(String, String)] {
        payload.isEmpty ? [] : [("mark", payload)]
    }

    /// On the completion page after a question, and a redirect without one.
    @Sendable private func answer(
        _ grant: NewGrant, _ asked: ClientRequest, to user: SignedInUser, _ request: Request
    ) throws -> Response {
        let callback = AuthorizeRequest.adding(
            [("ticket", grant.wire)] + Self.mark(asked.payload), to: asked.returnTo)
        guard grant.hasAsked else { return .redirect(to: callback, type: .found) }
        return try page.response(
            request, client: asked.client, account: user.account, callback: callback,
            other: address(asked.client.id, asked.returnTo, asked.payload, [("ask", "choose")]), pace: .init(grant))
    }

    func refuse(_ error: AuthorizationError, _ asked: ClientRequest, _ request: Request) -> Response {
        let why = error == .accessDenied ? "gave-up" : "sign-in"
        return .redirect(
            to: AuthorizeRequest.adding([("no", why)] + Self.mark(asked.payload), to: asked.returnTo), type: .found)
    }

    /// A form of the client's server. A real protocol proves who sends it.
    @Sendable private func redeem(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await request.formFields()
        guard let client = authorizer.clients.client(id: try fields.text("app") ?? ""),
            let ticket = Secret<TicketKind>(wire: try fields.text("ticket") ?? "")
        else { throw PublicError.notFound }
        let outcome = try await authorizer.grants.consume(
            GrantStore.Presented(
                ticket, grantKind, by: client, returnTo: try fields.text("back"), codeVerifier: nil, context.audit,
                whereStill: { _ in true }),
            SessionLifetime(absolute: .hours(12), idle: .hours(2)))
        guard case .accepted(let account, let redeemed, _) = outcome else { throw PublicError.notFound }
        return Response.json([
            .init("email", account.email), .init("mark", redeemed.payload),
            .init("methods", redeemed.proofs.text), .init("flow", redeemed.flow),
            .init("strength", redeemed.proofs.strength.rawValue),
            .init("caused", redeemed.causedSignIn ? "yes" : "no"),
        ])
    }
}

/// Its keys. A client may leave `redirect_uris` out, and go back to every address below a prefix.
struct TicketSettings: ClientProtocolSettings {
    static let id = "ticket"
    static let keys = [prefixesKey.description]
    static let callbackFields = ["ticket", "mark", "no"]
    static let needsRedirectURIs = false

    let prefixes: [String]

    init?(_ reader: ClientKeyReader) {
        guard let prefixes = reader.value(Self.prefixesKey) else { return nil }
        self.prefixes = prefixes
    }

    var returnAddresses: [String] { prefixes }
    var shown: [(name: String, values: [String])] { [("prefixes", prefixes)] }

    func mayReturn(to address: String, of client: Client) -> Bool {
        client.hasRedirectURI(address) || prefixes.contains { address.utf8.starts(with: $0.utf8) }
    }

    private static let prefixesKey = ClientKey.list(
        "ticket_prefixes", maximum: 20, example: "[https://old.example.com/]",
        option: .init("Tickets: where every address below may be returned to; may be repeated.", name: "ticket-prefix"),
        "the addresses below which the browser may go back", [.address]
    ) { text, reader in
        try reader.checkWebAddress(text, adding: callbackFields, example: "https://old.example.com/")
        guard text.hasSuffix("/") else {
            throw SettingError("\"\(text)\" must end with a slash, such as https://old.example.com/")
        }
    }
}

private struct TicketFeature: Feature {
    let authorization: Authorization

    var purposes: [any FlowPurpose] {
        [TicketProtocol(authorizer: authorization.authorizer, page: authorization.completionPage)]
    }
}
