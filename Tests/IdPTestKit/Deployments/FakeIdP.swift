import SSOShared

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

/// The back channel of an identity provider that answers what a test sets, signed or not, and counts the calls.
final class FakeIdP: Sendable {
    typealias Request = BackChannelStub.Request
    typealias Answer = BackChannelStub.Answer

    static let secret = TestSecret.new()
    static let clientID = "partner-1"

    private let stub: BackChannelStub
    /// How often a token was presented.
    var calls: Int { stub.requests.count { !$0.isQuestion } }
    /// How often a session was asked about.
    var questions: Int { stub.requests.count { $0.isQuestion } }

    init(_ answer: @escaping @Sendable (Request) -> Answer = { .bytes(FakeIdP.signed($0)) }) throws {
        stub = try BackChannelStub(answer)
    }

    /// From now on connections are refused.
    func stop() { stub.stop() }

    /// A deployment whose client asks this IdP, with the limits that it has in use: an answer may never come.
    ///
    /// - Parameters:
    ///   - changed: settings of the client.
    ///   - limits: of the client's calls.
    func open(
        at clock: TestClock = TestClock(), settings changed: [String: String] = [:], limits: HTTPLimits = HTTPLimits(),
        _ body: (TestDeployment) async throws -> Void
    ) async throws {
        defer { stop() }
        let settings = [
            "RP_IDP_BACKCHANNEL_URL": stub.origin, "SSO_CLIENT_ID": Self.clientID, "SSO_SHARED_SECRET": Self.secret,
        ]
        try await TestDeployment.open(
            at: clock, clientSettings: settings.merging(changed) { $1 }, limits: limits, body)
    }

    /// The answer of an honest identity provider.
    static func reply(user: String = "u1", email: String = "ann@example.com", client: String = clientID) -> [UInt8] {
        VerifyReply(
            user: VerifiedUser(id: user, email: email, name: "Ann"), clientID: client,
            session: VerifiedSession(id: "s1", authenticatedAt: 1_790_000_000, methods: ["email_code"])
        ).body()
    }

    /// An answer 200 with a valid signature over the given body.
    static func signed(
        _ request: Request, _ body: [UInt8] = reply(), type: String = "application/json", status: String = "200 OK",
        headers: [String] = []
    ) -> [UInt8] {
        guard let secret = try? SharedSecret.parse(Self.secret, setting: "secret") else { return [] }
        let label = request.isQuestion ? MessageLabel.session : .verify
        let question = RequestSignature.request(body: request.body, secret: secret, label: label)
        let signature = RequestSignature.response(body: body, to: question, secret: secret).headerValue
        return http(status, ["Content-Type: \(type)", "\(RequestSignature.headerName): \(signature)"] + headers, body)
    }

    /// The answer to a question about a session, from which an honest identity provider differs only where the test says so.
    static func state(_ request: Request, _ reply: SessionAnswer, _ headers: [String] = []) -> [UInt8] {
        signed(request, reply.body(), headers: headers)
    }

    /// A sign-out message as the identity provider signs it.
    static func signature(of message: [UInt8]) throws -> String {
        RequestSignature.request(
            body: message, secret: try .parse(secret, setting: "secret"), label: .logout
        ).headerValue
    }

    static func http(_ status: String, _ headers: [String] = [], _ body: [UInt8] = []) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}

extension FakeIdP.Request {
    /// Whether it asks about a session.
    var isQuestion: Bool { head.hasPrefix("POST \(SSOPath.session) ") }
}

extension Browser {
    /// Opens the client's page as a visitor and reads the new state from its link.
    func state(at client: some TestClient) async throws -> String {
        let link = try await get(client.origin + "/").page().link(containing: SSOPath.authorize)
        guard let link, let state = try WebAddress(link).query("state") else { throw ProbeFailure("no link, no state") }
        return state
    }

    /// Starts by `/auth/sso/start`, with a page to return to.
    func state(at client: some TestClient, returnTo: String) async throws -> String {
        let query = FormCoding.encode([("return_to", returnTo)])
        let visit = try await get("\(client.origin)\(SSOPath.start)?\(query)")
        guard let state = try visit.location().query("state") else { throw ProbeFailure("no state") }
        return state
    }

    /// Requests the client's callback as if redirected from the IdP.
    func comeBack(
        to client: some TestClient, _ fields: [(String, String)], _ headers: HTTPProbe.Headers = []
    ) async throws -> Visit {
        try await get("\(client.callback)?\(FormCoding.encode(fields))", headers)
    }

    /// The same with a token of a valid form.
    func comeBack(to client: some TestClient, state: String) async throws -> Visit {
        try await comeBack(to: client, [("token", Self.someToken), ("state", state)])
    }

    /// The cookies of the sign-ins that the browser has started at a client, by their names.
    var pendingSignIns: [String: String] {
        cookies["127.0.0.2", default: [:]].filter { $0.key.hasPrefix("rp_pending_") }
    }

    static var someToken: String { "sst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8" }

    /// The id of the user who is signed in at the client, nil for a visitor.
    func userID(at client: some TestClient) async throws -> String? {
        let reply = try await get(client.origin + "/api/session").reply
        let value = try JSONDecoding.value(reply.body)
        return value["user"]?["id"]?.text
    }
}
