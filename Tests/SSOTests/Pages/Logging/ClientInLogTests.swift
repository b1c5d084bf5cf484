import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// ASVS 16.2.1: a line has the client's address as the trusted proxies report it, never as the client states it.
@Suite("The client address in the log", .program)
struct ClientInLogTests {
    private static let settings = ["IDP_TRUSTED_PROXIES": "127.0.0.0/8", "IDP_LIMIT_EMAIL_POSTS": "30"]
    private static let from: HTTPProbe.Headers = [("X-Forwarded-For", "192.0.2.66, 203.0.113.7")]

    @Test("sign-in, wrong code, token, limit, bad signature, burnt token: each event has the client's address")
    func events() async throws {
        try await TestDeployment.open(clients: 2, settings: Self.settings) { deployment in
            let browser = deployment.browser()
            let form = try await browser.get(deployment.origin + "/sign-in", Self.from)
            let fields = [("form_token", try #require(try form.page().forms.first?["form_token"]))]
            _ = try await browser.post(form.address, fields + [("email", "ann@example.com")], Self.from)
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let page = try await browser.get(deployment.origin + "/sign-in/code", Self.from)
            for typed in [code == "000000" ? "000001" : "000000", code] {
                _ = try await browser.post(page.address, fields + [("code", typed)], Self.from)
            }
            let complete = try await browser.get(deployment.authorize(deployment.client, state: "s"), Self.from)
            let body = VerifyRequest(token: try complete.token(), redirectURI: nil, codeVerifier: nil).body()
            let attacker = try deployment.signed(body, by: deployment.clients[1])
            #expect(try await deployment.backChannel(body, attacker + Self.from).status == 401)
            #expect(
                try await deployment.backChannel(body, [("Content-Type", "application/json")] + Self.from).status == 401
            )
            for _ in 0...30 {
                let other = deployment.browser()
                let form = try await other.get(deployment.origin + "/sign-in", Self.from)
                let fields = [("form_token", try #require(try form.page().forms.first?["form_token"]))]
                _ = try await other.post(form.address, fields + [("email", "no address")], Self.from)
            }
            for event in [
                "code_rejected", "signed_in", "token_issued", "token_of_other_client", "signature", "rate_limited",
            ] {
                let lines = deployment.log.text.split(separator: "\n").filter { $0.contains(event) }
                #expect(!lines.isEmpty, "\(event)")
                #expect(lines.allSatisfy { $0.contains(#""client_address": 203.0.113.7"#) }, "\(event): \(lines)")
            }
            #expect(!deployment.log.contains("192.0.2.66"))
        }
    }

    @Test(
        "an address has the form of RFC 5952",
        arguments: [
            ("203.0.113.7", "203.0.113.7"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::1", "::1"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
        ])
    func form(text: String, written: String) throws {
        #expect(try #require(IPAddress(text)).description == written)
    }
}
