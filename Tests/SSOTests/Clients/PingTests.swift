import SSOShared
import SSOWeb
import Testing

@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("POST /auth/sso/ping", .program, .alsoOnPostgres)
struct PingTests {
    @Test("the worked example of docs/protocol.md: the question, and the answer to it")
    func vectors() throws {
        let secret = try BackChannelFixture.secret()
        let question = PingQuestion(redirectURI: "https://partner.example.com/auth/sso/callback", time: 1_790_000_000)
        let signature = RequestSignature.request(body: question.body(), secret: secret, label: .ping)
        #expect(signature.headerValue == "sha256=539322af903b418962d48d5276bcbdefcced0cc3f35b5368ed1fa86a2c86d3cc")
        let answer = PingAnswer(clientID: "partner", isRegistered: true, time: 1_790_000_001, version: "0.1.0")
        #expect(
            RequestSignature.response(body: answer.body(), to: signature, secret: secret).headerValue
                == "sha256=d8e59190bdd7b3cbe76f1b1dc21180f672b5e826f2a5ad2f0f57e294720ba2f0")
        #expect(try PingAnswer(body: answer.body()) == answer)
    }

    @Test("a right secret is told whether its redirect URI is registered, byte for byte, and what time it is")
    func answers() async throws {
        try await TestDeployment.open { deployment in
            let client = deployment.client
            for (uri, isRegistered) in [(client.callback, true), (client.callback + "/", false), ("x", false)] {
                let body = PingQuestion(redirectURI: uri, time: 7).body()
                let reply = try await TestDeployment.ping(body, client, deployment)
                #expect(reply.status == 200 && reply.header("cache-control") == "no-store")
                let answer = try PingAnswer(body: reply.body)
                #expect(answer.clientID == client.id && answer.isRegistered == isRegistered)
                #expect(answer.time == deployment.clock.now.seconds && answer.version == ProductVersion.text)
                let secret = try SharedSecret.parse(client.secret, setting: "s")
                let signed = RequestSignature.response(
                    body: reply.body, to: .request(body: body, secret: secret, label: .ping), secret: secret)
                #expect(reply.header("x-sso-signature") == signed.headerValue)
            }
            #expect(deployment.events("ping_answered") == 3)
            #expect(try await deployment.rows(of: "audit_event") == 0, "it changes nothing")
        }
    }

    /// The body, the label of its signature, and the status of the answer.
    private static let refused: [(body: String, label: MessageLabel, status: Int)] = [
        (#"{"redirect_uri":"x","time":1}"#, .verify, 401), (#"{"redirect_uri":"x","time":1}"#, .session, 401),
        (#"{"redirect_uri":"x","time":1}"#, .logout, 401), (#"{"redirect_uri":"x"}"#, .ping, 400),
        (#"{"redirect_uri":"x","time":"1"}"#, .ping, 400), (#"{"redirect_uri":"","time":1}"#, .ping, 400),
        (#"{"redirect_uri":"x","time":1,"time":2}"#, .ping, 400), ("[]", .ping, 400), ("", .ping, 400),
        (String(repeating: " ", count: 8193), .ping, 413),
    ]

    @Test("anything else is refused with the reason: another label, no object, a wrong type, a key twice, too much")
    func refusals() async throws {
        try await TestDeployment.open { deployment in
            for row in Self.refused {
                let reply = try await TestDeployment.ping(
                    Array(row.body.utf8), deployment.client, deployment, row.label)
                #expect(reply.status == row.status, "\(row)")
            }
            #expect(deployment.events("ping_refused") == Self.refused.count)
        }
    }

    @Test("a client that was disabled, or its secret retired, by another process is refused at once")
    func gone() async throws {
        try await TestDeployment.open { deployment in
            let client = AddedClient()
            try await deployment.add(client)
            let body = PingQuestion(redirectURI: client.callback, time: 7).body()
            #expect(try await TestDeployment.ping(body, client, deployment).status == 200)
            try await deployment.make(EnableClient(client.id, false, deployment.registrar))
            #expect(try await TestDeployment.ping(body, client, deployment).status == 401)
        }
    }
}
