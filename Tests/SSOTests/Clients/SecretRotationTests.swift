import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("Rotating a secret without downtime", .program, .alsoOnPostgres)
struct SecretRotationTests {
    static let old = "old-secret-0123456789abcdef0123456789"
    static let new = "new-secret-0123456789abcdef0123456789"

    /// What the IdP has registered, what the client signs with, and what no longer works.
    static let steps: [(registered: [String], signs: String, refused: [String])] = [
        ([old], old, [new]), ([new, old], old, []), ([new, old], new, []), ([new], new, [old]),
    ]

    /// ASVS 13.3.4.
    @Test("at each of the four steps users sign in, and a removed secret stops working immediately", arguments: 0..<4)
    func roll(_ index: Int) async throws {
        let step = Self.steps[index]
        let folder = try TemporaryFolder()
        let list = step.registered.map { "\"\($0)\"" }.joined(separator: ", ")
        let file = try folder.write(
            """
            clients:
              - {id: partner-1, name: P, redirect_uris: ["http://127.0.0.2:4100/auth/sso/callback"], secrets: [\(list)]}
            """, to: "rolled.yaml")
        try await TestDeployment.open(
            settings: ["IDP_CLIENTS_FILE": file], clientSettings: ["SSO_SHARED_SECRET": step.signs]
        ) { deployment in
            let ann = deployment.browser()
            let complete = try await ann.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            // The sample client requires an answer that is signed with the secret it used itself.
            _ = try await ann.follow(ann.get(complete.callback()))
            #expect(try await ann.isSignedIn(at: deployment.client))

            let token = try await ann.token(for: deployment.client, of: deployment, state: "next")
            let body = VerifyRequest(token: token).body()
            func verify(_ text: String) async throws -> ProbeReply {
                let secret = try SharedSecret.parse(text, setting: "S")
                let value = RequestSignature.request(body: body, secret: secret).headerValue
                return try await deployment.post(
                    body, by: deployment.client, with: [(RequestSignature.headerName, value)])
            }
            for dead in step.refused + [Self.old + "x", Self.new.uppercased()] {
                #expect(try await verify(dead).error == "invalid_signature")
            }
            for live in step.registered {
                // Both are accepted as the same client's: the error is about the token, not the signature.
                let other = VerifyRequest(token: "sst_x").body()
                let value = RequestSignature.request(
                    body: other, secret: try SharedSecret.parse(live, setting: "S")
                ).headerValue
                let reply = try await deployment.post(
                    other, by: deployment.client, with: [(RequestSignature.headerName, value)])
                #expect(reply.error == "invalid_token")
            }
            #expect(try await verify(step.signs).status == 200)
        }
    }
}
