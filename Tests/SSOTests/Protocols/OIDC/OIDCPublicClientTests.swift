import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPClients
@testable import IdPOIDC
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What anybody can send in the name of a client, and above all of one without a secret.
@Suite("OpenID Connect: floods, and clients without a secret", .program)
struct OIDCPublicClientTests {
    /// The statuses of wrong requests to the token endpoint, until one is 429.
    private static func flood(
        _ deployment: TestDeployment, _ headers: HTTPProbe.Headers, _ fields: [(String, String)]
    ) async throws -> [Int] {
        var statuses: [Int] = []
        for _ in 0..<200 where statuses.last != 429 {
            let reply = try await deployment.oidcProbe.post(
                OIDCPath.token, [("Content-Type", "application/x-www-form-urlencoded")] + headers,
                body: Array(FormCoding.encode(fields).utf8))
            statuses.append(reply.status)
        }
        return statuses
    }

    @Test(
        "requests of one state with two challenges are two, and each gives its code; one that is repeated replaces its own"
    )
    func challenges() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let verifiers = try (0..<2).map { _ in try CodeChallenge.makeVerifier() }
            func code(_ verifier: String) async throws -> String {
                try await deployment.oidcCode(
                    browser, nil,
                    [
                        "nonce": nil, "code_challenge": CodeChallenge.s256(verifier), "code_challenge_method": "S256",
                    ])
            }
            func redeem(_ code: String, _ verifier: String) async throws -> Int {
                try await deployment.oidcToken(code, as: deployment.client, [("code_verifier", verifier)]).status
            }
            let codes = [try await code(verifiers[0]), try await code(verifiers[1])]
            let again = try await code(verifiers[1])
            #expect(try await redeem(codes[0], verifiers[0]) == 200)
            #expect(try await redeem(codes[1], verifiers[1]) == 400, "replaced")
            #expect(try await redeem(again, verifiers[1]) == 200)
        }
    }

    @Test("too many wrong secrets of a network pause them, but no request of it with a right one")
    func limit() async throws {
        try await TestDeployment.open(
            settings: ["IDP_LIMIT_BAD_SIGNATURES": "50"], clientKeys: OIDCSteps.bothProtocols
        ) { deployment in
            let code = try await deployment.oidcCode(try await deployment.signedIn())
            let wrong = [("Authorization", TestDeployment.basic("partner-1", "wrong"))]
            let statuses = try await Self.flood(deployment, wrong, [("grant_type", "authorization_code")])
            #expect(statuses.first == 401 && statuses.last == 429)
            #expect(try await deployment.oidcToken(code, as: deployment.client).status == 200, "its owner goes on")
        }
    }

    @Test("too many unknown codes of a network in the name of a public client pause it: anybody can name that client")
    func publicLimit() async throws {
        try await TestDeployment.open(
            settings: ["IDP_LIMIT_BAD_SIGNATURES": "50"], clientKeys: OIDCSteps.bothProtocols
        ) { deployment in
            try await deployment.add(AddedClient("app"), OIDCSteps.publicApp)
            for (name, value) in [("code", "authorization_code"), ("refresh_token", "refresh_token")] {
                let unknown = (name == "code" ? "soc_" : "sor_") + String(repeating: "A", count: 43)
                let fields = [
                    ("client_id", "app"), ("grant_type", value), (name, unknown),
                    ("redirect_uri", "http://127.0.0.1:1/callback"),
                ]
                let statuses = try await Self.flood(deployment, [], fields)
                #expect(statuses.first == 400 && statuses.last == 429, "\(name): \(statuses.count)")
                deployment.clock.advance(by: .minutes(3))
            }
        }
    }

    @Test(
        "while a network is over its limit, every good code and refresh token of a public client from there is redeemed"
    )
    func goodOnes() async throws {
        try await TestDeployment.open(settings: ["IDP_LIMIT_BAD_SIGNATURES": "50"]) { deployment in
            let offline: [String: ClientEntry.Value] = ["scopes": .list(["openid", "offline_access"])]
            try await deployment.add(AddedClient("app"), OIDCSteps.publicApp.merging(offline) { $1 })
            let callback = "http://127.0.0.1:41234/callback"
            func post(_ fields: [(String, String)]) async throws -> ProbeReply {
                try await deployment.oidcPost(OIDCPath.token, [("client_id", "app")] + fields, as: nil)
            }
            let (browser, verifier) = (try await deployment.signedIn(), try CodeChallenge.makeVerifier())
            var codes: [String] = []
            for state in 1...6 {
                let request = deployment.oidcRequest(
                    deployment.client,
                    [
                        "client_id": "app", "redirect_uri": callback, "state": "s\(state)",
                        "scope": "openid offline_access", "code_challenge": CodeChallenge.s256(verifier),
                        "code_challenge_method": "S256",
                    ])
                let question = try await browser.follow(browser.get(request))
                let link = try #require(try question.page().link(containing: OIDCPath.complete))
                let page = try await browser.follow(browser.click(link, on: question))
                let begin = try #require(page.text.firstRange(of: "code=soc_")).lowerBound
                codes.append(String(page.text[begin...].dropFirst(5).prefix(47)))
            }
            let unknown = [
                ("grant_type", "refresh_token"), ("refresh_token", "sor_" + String(repeating: "A", count: 43)),
            ]
            func flood() async throws {
                for _ in 1...80 { _ = try await post(unknown) }
                #expect(try await post(unknown).status == 429)
            }
            for code in codes {
                try await flood()
                let reply = try await post([
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", callback),
                    ("code_verifier", verifier),
                ])
                #expect(reply.status == 200, "\(reply.text)")
                let token = try #require(try reply.json()["refresh_token"]?.text)
                #expect(try await post([("grant_type", "refresh_token"), ("refresh_token", token)]).status == 200)
            }
        }
    }

    @Test("a public client's question is answered for one code: neither its page nor another request gets a second one")
    func resumed() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            try await deployment.add(AddedClient("app"), OIDCSteps.publicApp)
            let (browser, verifier) = (try await deployment.signedIn(), try CodeChallenge.makeVerifier())
            let request = deployment.oidcRequest(
                deployment.client,
                [
                    "client_id": "app", "redirect_uri": "http://127.0.0.1:41234/callback",
                    "code_challenge": CodeChallenge.s256(verifier), "code_challenge_method": "S256",
                ])
            let question = try await browser.follow(browser.get(request))
            let link = try #require(try question.page().link(containing: OIDCPath.complete))
            let page = try await browser.follow(browser.click(link, on: question))
            #expect(page.status == 200 && page.text.contains("code=soc_"))
            let address = page.address.absolute
            #expect(address.contains("flow="))
            for changed in [
                address, address.replacing("state=s", with: "state=other"),
                address.replacing(CodeChallenge.s256(verifier), with: CodeChallenge.s256(String(verifier.reversed()))),
            ] {
                let again = try await browser.get(changed)
                #expect(again.status == 303 || again.status == 302, "asked again: \(again.status) \(changed)")
                #expect(!again.text.contains("soc_") && again.reply.header("location")?.contains("soc_") == false)
            }
            let silent = try await browser.get(address + "&prompt=none")
            #expect(try silent.location().query("error") == "interaction_required")
            #expect(try await deployment.stored.grants.ofKind("oidc").count() == 1)
        }
    }
}
