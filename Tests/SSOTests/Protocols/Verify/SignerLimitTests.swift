import SSOShared
import Testing

@testable import IdPFlow
@testable import IdPSSO
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Threat: signed posts that cost a lot before anything is counted, and a limit that an attacker uses up for others.
@Suite("Signed posts: who names its client, and who does not", .program)
struct SignerLimitTests {
    /// A signed post of one of the three routes.
    private struct Post: Sendable {
        let path, refused: String
        let label: MessageLabel
        /// An object that the route accepts, without its last brace.
        let start: String

        /// An object of exactly so many bytes: unknown keys are ignored.
        func body(_ size: Int) -> [UInt8] {
            let begin = start + ",\"x\":\""
            return Array((begin + String(repeating: "x", count: size - begin.utf8.count - 2) + "\"}").utf8)
        }
    }

    /// - Parameter token: that verify redeems.
    private static func posts(_ client: TestDeployment.Client, _ token: String) -> [Post] {
        [
            Post(
                path: SSOPath.verify, refused: "verify_refused", label: .verify,
                start: #"{"token":"\#(token)","redirect_uri":"\#(client.callback)""#),
            Post(
                path: SSOPath.session, refused: "session_question_refused", label: .session,
                start: #"{"session":"ses_x","user":"usr_x""#),
            Post(
                path: SSOPath.ping, refused: "ping_refused", label: .ping,
                start: #"{"redirect_uri":"\#(client.callback)","time":1"#),
        ]
    }

    /// - Parameters:
    ///   - names: whether the request names its client.
    ///   - network: the address that the proxy reports.
    private static func send(
        _ post: Post, _ size: Int, names: Bool, secret: String? = nil, from network: String = "203.0.113.9",
        _ deployment: TestDeployment
    ) async throws -> ProbeReply {
        let (client, body) = (deployment.client, post.body(size))
        let secret = try SharedSecret.parse(secret ?? client.secret, setting: "secret")
        let signature = RequestSignature.request(body: body, secret: secret, label: post.label).headerValue
        let name = names ? [(RequestSignature.clientHeaderName, client.id)] : []
        return try await deployment.probe().post(
            post.path,
            [
                ("Content-Type", "application/json"), (RequestSignature.headerName, signature),
                ("X-Forwarded-For", network),
            ] + name, body: body)
    }

    @Test("without the name of its client a request has at most 1,024 bytes: one more needs the name, and then works")
    func sizes() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let (one, two) = (
                try await browser.token(for: deployment.client, of: deployment, state: "one"),
                try await browser.token(for: deployment.client, of: deployment, state: "two")
            )
            let (first, second) = (Self.posts(deployment.client, one), Self.posts(deployment.client, two))
            for (one, other) in zip(first, second) {
                for size in [1_025, 8_192] {
                    let reply = try await Self.send(one, size, names: false, deployment)
                    #expect(reply.status == 401 && reply.error == "invalid_signature", "\(one.path) \(size)")
                    #expect(reply.explanation?.hasPrefix("X-SSO-Client is missing.") == true, "\(one.path)")
                }
                let lines = deployment.log.text.split(separator: "\n").filter { $0.contains(" \(one.refused) ") }
                #expect(lines.count == 2 && lines.allSatisfy { $0.contains(#""cause": client_missing"#) }, "\(lines)")
                #expect(try await Self.send(one, 1_024, names: false, deployment).status == 200, "\(one.path)")
                #expect(try await Self.send(other, 8_192, names: true, deployment).status == 200, "\(other.path)")
            }
        }
    }

    @Test(
        "while a network is over its limit of wrong signatures, a right post that names its client passes, on each route"
    )
    func flood() async throws {
        try await TestDeployment.open(
            settings: ["IDP_LIMIT_BAD_SIGNATURES": "50", "IDP_TRUSTED_PROXIES": "127.0.0.0/8"]
        ) { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            for post in Self.posts(deployment.client, token) {
                let network = "198.51.100.\(post.path.count)"
                var statuses: [Int] = []
                for number in 0..<200 {
                    // With and without the name of a client, as an attacker has it from any address of a sign-in.
                    let reply = try await Self.send(
                        post, 300, names: number % 2 == 0, secret: TestSecret.new(), from: network, deployment)
                    statuses.append(reply.status)
                }
                #expect(statuses.first == 401 && statuses.suffix(100).allSatisfy { $0 == 429 }, "\(post.path)")
                let unnamed = try await Self.send(post, 300, names: false, from: network, deployment)
                #expect(unnamed.status == 429, "\(post.path): without its name it is not looked at")
                let named = try await Self.send(post, 300, names: true, from: network, deployment)
                #expect(named.status == 200, "\(post.path): \(named.text)")
            }
        }
    }
}
