import Hummingbird
import SSOShared
import SSOWeb

@testable import IdPAccounts
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPServer
@testable import IdPTestKit

/// A client protocol of the tests that answers through the browser alone, as DiscourseConnect does: the address that the
/// browser goes back to says who the user is, signed with the client's secret. Nothing is redeemed.
struct FrontProtocol: ClientProtocol {
    static let added = AddedFeatures(protocols: [FrontSettings.self]) {
        [FrontFeature(authorization: try Authorization($0, $1))]
    }
    static let askPath = "/front/ask"

    typealias Settings = FrontSettings

    let authorizer: Authorizer
    let resumePath = "/front/go-on"
    var answering: ClientAnswer { .now(answer) }

    func addRoutes(to router: inout FeatureRouter) { router.request(at: Self.askPath, use: ask) }

    @Sendable private func ask(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = request.queryFields
        let (back, nonce) = (try fields.text("back") ?? "", try fields.text("nonce") ?? "")
        guard let client = authorizer.clients.client(id: try fields.text("app") ?? ""),
            client.mayReturn(to: back, by: Self.id)
        else { throw FlowError.unknownClient }
        let isSilent = try fields.text("ask") == "never"
        let asked = ClientRequest(
            client: client, returnTo: back, wishes: SignInWishes(prompt: isSilent ? .silent : nil),
            replayKey: SHA256.hash(Array(nonce.utf8)), payload: nonce)
        return try await authorizer.authorize(asked, by: self, request, context)
    }

    func address(of flow: Flow) -> String? {
        Self.askPath + "?"
            + PercentCoding.query([("app", flow.subject), ("back", flow.returnTo), ("nonce", flow.payload)])
    }

    @Sendable private func answer(
        _ entrance: ClientAnswer.Entrance, _ asked: ClientRequest, to user: SignedInUser, _ request: Request
    ) throws -> Response {
        guard let secret = asked.client.secrets.first else { throw PublicError.notFound }
        let told = [
            ("nonce", asked.payload), ("email", user.account.email), ("session", entrance.session),
            ("groups", entrance.groups?.joined(separator: ",") ?? "-"), ("asked", entrance.hasAsked ? "yes" : "no"),
        ]
        let signed = told + [("sig", Self.signature(of: told, secret: secret.bytes))]
        return .redirect(to: AuthorizeRequest.adding(signed, to: asked.returnTo), type: .found)
    }

    /// Of what a client is told, as it checks it.
    static func signature(of told: [(String, String)], secret: [UInt8]) -> String {
        Hex.encode(
            HMACSHA256.code(for: Array(PercentCoding.query(told.map { (name: $0.0, value: $0.1) }).utf8), key: secret))
    }

    func refuse(_ error: AuthorizationError, _ asked: ClientRequest, _ request: Request) -> Response {
        .redirect(
            to: AuthorizeRequest.adding([("no", error.rawValue), ("nonce", asked.payload)], to: asked.returnTo),
            type: .found)
    }
}

/// It has no keys of its own.
struct FrontSettings: ClientProtocolSettings {
    static let id = "front"
    static let keys: [ClientKeyDescription] = []
    static let callbackFields = ["nonce", "email", "session", "groups", "asked", "sig", "no"]

    init?(_ reader: ClientKeyReader) {}
}

private struct FrontFeature: Feature {
    let authorization: Authorization

    var purposes: [any FlowPurpose] { [FrontProtocol(authorizer: authorization.authorizer)] }
}
