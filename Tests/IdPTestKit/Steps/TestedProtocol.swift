import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPAuthorization
@testable import IdPGate
@testable import IdPOIDC
@testable import IdPSSO
@testable import TestKit
@testable import WebTestKit

/// Every client protocol, as a client uses it: the one list of them in the tests, so that a claim about client protocols is
/// written once and holds for each.
enum TestedProtocol: String, CaseIterable, Sendable {
    case sso
    /// ``TicketProtocol``.
    case ticket
    case oidc
    case gate

    /// Those by which a client asks for a new sign-in, or for no question.
    static let withEveryWish: [TestedProtocol] = [.sso, .ticket, .oidc]

    /// Keys of a client that may use all of them, for the clients file.
    static let clientKeys =
        "protocols: [\(allCases.map(\.rawValue).joined(separator: ", "))], "
        + "scopes: [openid, profile, email, groups, offline_access], gate_origin: \"{origin}\""

    /// What the client asks of the sign-in.
    enum Wish: Sendable { case none, newSignIn, noQuestion, choice }

    /// The beginning of everything that a client redeems.
    var secretPrefix: String {
        switch self {
        case .sso: "sst_"
        case .ticket: "ST-"
        case .oidc: "soc_"
        case .gate: "sgc_"
        }
    }

    /// Where a user goes on who has signed in.
    var resumePath: String {
        switch self {
        case .sso: SSOPath.complete
        case .ticket: "/ticket/go-on"
        case .oidc: OIDCPath.complete
        case .gate: GatePath.complete
        }
    }

    /// The address that a client sends the browser to.
    ///
    /// - Parameter mark: the client's own value, which comes back. Nil for none, where the protocol allows that.
    func ask(
        _ client: TestDeployment.Client, mark: String?, _ wish: Wish = .none, of deployment: TestDeployment
    ) -> String {
        switch self {
        case .sso:
            let prompt = [Wish.newSignIn: "login", .noQuestion: "none", .choice: "select_account"][wish]
            return deployment.authorize(client, state: mark ?? "no mark") + (prompt.map { "&prompt=\($0)" } ?? "")
        case .ticket:
            let ask = [Wish.newSignIn: "always", .noQuestion: "never", .choice: "choose"][wish]
            let fields =
                [("app", client.id), ("back", client.callback)]
                + (mark.map { [("mark", $0)] } ?? []) + (ask.map { [("ask", $0)] } ?? [])
            return "\(deployment.origin)\(TicketProtocol.askPath)?\(FormCoding.encode(fields))"
        case .oidc:
            let prompt = [Wish.newSignIn: "login", .noQuestion: "none", .choice: "select_account"][wish]
            return deployment.oidcRequest(
                client,
                ["state": mark, "nonce": mark.map { "nonce \($0)" }, "prompt": prompt, "scope": "openid email"])
        case .gate: return deployment.gateRequest(client, mark: mark ?? "no-mark", isChoice: wish == .choice)
        }
    }

    /// Where the browser goes with what the client redeems: from the completion page, or by a redirect.
    func callback(_ visit: Visit) throws -> WebAddress {
        if visit.status == 302 { return try visit.location() }
        let field = [Self.sso: "token=", .ticket: "ticket=", .oidc: "code=", .gate: "grant="][self] ?? ""
        guard let link = try visit.page().link(containing: field) else {
            throw ProbeFailure("no callback at \(visit.address.absolute) (\(visit.status)):\n\(visit.text)")
        }
        return try WebAddress(link)
    }

    /// What the client's server learns.
    struct Redeemed: Sendable, Equatable {
        let email, mark: String?
        let methods: [String]
        let strength: String?
    }

    /// Redeems as the client's server does; nil where it is refused.
    func redeem(
        _ callback: WebAddress, as client: TestDeployment.Client, of deployment: TestDeployment
    ) async throws -> Redeemed? {
        switch self {
        case .sso:
            let reply = try await deployment.verify(
                callback.query("token") ?? "", as: client, redirectURI: client.callback)
            guard reply.status == 200 else { return nil }
            let answer = try JSONDecoding.value(reply.body)
            return Redeemed(
                email: answer["user"]?["email"]?.text, mark: callback.query("state"),
                methods: answer["session"]?["methods"]?.items.compactMap(\.text) ?? [],
                strength: answer["session"]?["acr"]?.text)
        case .ticket:
            let reply = try await deployment.redeemTicket(
                callback.query("ticket") ?? "", as: client, back: client.callback)
            guard reply.status == 200 else { return nil }
            let answer = try JSONDecoding.value(reply.body)
            let mark = answer["mark"]?.text
            return Redeemed(
                email: answer["email"]?.text, mark: mark == callback.query("mark") ?? "" ? mark : nil,
                methods: answer["methods"]?.text?.split(separator: " ").map(String.init) ?? [],
                strength: answer["strength"]?.text)
        case .oidc:
            let reply = try await deployment.oidcToken(callback.query("code") ?? "", as: client)
            guard reply.status == 200 else { return nil }
            let claims = try reply.idTokenClaims()
            let state = callback.query("state")
            return Redeemed(
                email: claims["email"]?.text,
                mark: claims["nonce"]?.text == state.map { "nonce \($0)" } ? state ?? "" : nil,
                methods: claims["amr"]?.items.compactMap(\.text).filter {
                    !["otp", "mfa", "pop", "user", "hwk"].contains($0)
                } ?? [],
                strength: claims["acr"]?.text)
        case .gate: return try await deployment.enterGate(callback, as: client)
        }
    }

    /// What of a sign-in this protocol tells its clients. The gate tells who the user is, and nothing of how that was proven.
    func told(_ all: Redeemed) -> Redeemed {
        self == .gate ? Redeemed(email: all.email, mark: all.mark, methods: [], strength: nil) : all
    }

    /// Where the browser goes back to, without a query.
    func callbackAddress(of client: TestDeployment.Client) -> String {
        self == .gate ? client.origin + "/.sso/callback" : client.callback
    }

    /// The client's own value in an answer.
    func mark(in callback: WebAddress) throws -> String? {
        switch self {
        case .sso, .oidc: callback.query("state")
        case .ticket: callback.query("mark")
        case .gate: try callback.query("to").flatMap { try callback.resolving($0).query("mark") }
        }
    }

    /// Why the browser came back without anything to redeem: gave up, or would have to sign in.
    func refusal(_ callback: WebAddress) -> AuthorizationError? {
        switch self {
        case .sso, .oidc, .gate: callback.query("error").flatMap(AuthorizationError.init)
        case .ticket: ["gave-up": .accessDenied, "sign-in": .loginRequired][callback.query("no") ?? ""]
        }
    }
}

extension TestDeployment {
    /// - Parameter back: the return address; nil for none.
    func redeemTicket(_ ticket: String, as client: Client, back: String?) async throws -> ProbeReply {
        let fields = [("app", client.id), ("ticket", ticket)] + (back.map { [("back", $0)] } ?? [])
        return try await HTTPProbe(port: port, authority: "localhost:4000").post(
            TicketProtocol.redeemPath, [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(FormCoding.encode(fields).utf8))
    }
}
