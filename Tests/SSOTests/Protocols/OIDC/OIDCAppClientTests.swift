import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPOIDC
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Apps that bring along their id, their redirect URI and a secret that everyone can read.
@Suite("OpenID Connect: what apps bring along", .program)
struct OIDCAppClientTests {
    private static let scheme: [String: ClientEntry.Value] = [
        "protocols": .list(["oidc"]), "public": .text("true"), "redirect_uris": .list(["oc://callback"]),
    ]
    private static let id = "e4rAsNUSIUs0lF4nbv9FmCeUkTlV9GdgTLDH1b5uie7syb90SzEVrbN7HIpmWJeD"

    /// The code that the page of a request leads to, after the user has agreed.
    private static func code(_ request: String, _ browser: Browser, leadsTo address: String) async throws -> String {
        let question = try await browser.follow(browser.get(request))
        #expect(question.status == 200 && !question.text.contains("soc_"), "asked on a page")
        let link = try #require(try question.page().link(containing: OIDCPath.complete))
        let page = try await browser.follow(browser.click(link, on: question))
        #expect(page.text.contains(address))
        let begin = try #require(page.text.firstRange(of: "code=soc_")).lowerBound
        return String(page.text[begin...].dropFirst(5).prefix(47))
    }

    private static func request(
        _ deployment: TestDeployment, _ id: String, _ redirect: String, _ verifier: String, state: String = "s"
    ) -> String {
        deployment.oidcRequest(
            deployment.client,
            [
                "client_id": id, "redirect_uri": redirect, "state": state,
                "code_challenge": CodeChallenge.s256(verifier), "code_challenge_method": "S256",
            ])
    }

    @Test(
        "a scheme of one word is asked about each time, silently it is refused, and the secret that the app sends is not read"
    )
    func scheme() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            try await deployment.add(AddedClient(Self.id), Self.scheme)
            let (browser, verifier) = (try await deployment.signedIn(), try CodeChallenge.makeVerifier())
            for (state, secret) in [("a", "built-in"), ("b", "another")] {
                let request = Self.request(deployment, Self.id, "oc://callback", verifier, state: state)
                let code = try await Self.code(request, browser, leadsTo: "oc://callback?code=soc_")
                let fields = [
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "oc://callback"),
                ]
                let basic = [("Authorization", TestDeployment.basic(Self.id, secret))]
                let wrong = try await deployment.oidcPost(OIDCPath.token, fields, as: nil, basic)
                #expect(try wrong.json()["error"]?.text == "invalid_grant", "without its verifier")
                let right = try await deployment.oidcPost(
                    OIDCPath.token, fields + [("code_verifier", verifier)], as: nil, basic)
                #expect(right.status == 200, "\(right.text)")
                #expect(try right.idTokenClaims()["aud"]?.text == Self.id)
            }
            let silent = try await browser.get(
                Self.request(deployment, Self.id, "oc://callback", verifier, state: "c") + "&prompt=none")
            #expect(silent.reply.header("location")?.hasPrefix("oc://callback?error=interaction_required") == true)
            let without = deployment.oidcRequest(
                deployment.client, ["client_id": Self.id, "redirect_uri": "oc://callback", "state": "d"])
            let refused = try await browser.get(without)
            #expect(refused.reply.header("location")?.hasPrefix("oc://callback?error=invalid_request") == true)
        }
    }

    @Test("a scheme of one word is asked about for a request that was waiting when its user signed in for another one")
    func waitingMeanwhile() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            try await deployment.add(AddedClient(Self.id), Self.scheme)
            let (browser, verifier) = (deployment.browser(), try CodeChallenge.makeVerifier())
            let waiting = try await browser.get(Self.request(deployment, Self.id, "oc://callback", verifier))
            #expect(try waiting.location().path == "/sign-in")
            let web = try await browser.follow(browser.get(deployment.oidcRequest(deployment.client, ["state": "web"])))
            _ = try await deployment.enterCode(web, in: browser, as: "ann@example.com")
            let question = try await browser.follow(browser.get(waiting.location()))
            #expect(question.address.path == AccountChoice.path && !question.text.contains("soc_"))
        }
    }

    @Test("two ids that differ only in case are two clients, also for codes, and a third one is unknown")
    func cases() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let ids = ["Web_App.1", "web_app.1"]
            for id in ids { try await deployment.add(AddedClient(id), OIDCSteps.publicApp) }
            let (browser, verifier) = (try await deployment.signedIn(), try CodeChallenge.makeVerifier())
            let address = "http://127.0.0.1:41234/callback"
            func redeem(_ code: String, as sender: String) async throws -> Int {
                try await deployment.oidcPost(
                    OIDCPath.token,
                    [
                        ("client_id", sender), ("grant_type", "authorization_code"), ("code", code),
                        ("redirect_uri", address), ("code_verifier", verifier),
                    ], as: nil
                ).status
            }
            for (id, other) in [(ids[0], ids[1]), (ids[1], ids[0])] {
                let request = Self.request(deployment, id, address, verifier, state: id)
                let code = try await Self.code(request, browser, leadsTo: address)
                #expect(try await redeem(code, as: "WEB_APP.1") == 401)
                #expect(try await redeem(code, as: id) == 200)
                let next = Self.request(deployment, id, address, verifier, state: "\(id) again")
                let second = try await Self.code(next, browser, leadsTo: address)
                #expect(try await redeem(second, as: other) == 400)
                #expect(try await redeem(second, as: id) == 400, "another client had it")
            }
            let unknown = try await browser.get(Self.request(deployment, "WEB_APP.1", address, verifier))
            #expect(unknown.status == 400 && unknown.reply.header("location") == nil)
            #expect(deployment.log.text.contains("WEB_APP.1"), "the log has the id that was sent")
            let refusal = try await deployment.refusal(
                of: deployment.addition(AddedClient("Web_App.1"), OIDCSteps.publicApp))
            #expect(refusal?.contains("there is a client Web_App.1 already") == true, "\(refusal ?? "")")
        }
    }

    @Test("no hostile address is answered, whichever addresses are registered")
    func hostile() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let registered = [
                "https://rp.example/cb", "http://localhost:*", "http://localhost:*/cb", "http://127.0.0.1:*/cb",
                "http://[::1]:*/cb", "oc://callback", "http://nas.example.lan/cb",
            ]
            try await deployment.add(
                AddedClient("App_1"),
                [
                    "protocols": .list(["oidc"]), "public": .text("true"), "allow_private_http": .text("true"),
                    "redirect_uris": .list(registered),
                ])
            let (browser, verifier) = (try await deployment.signedIn(), try CodeChallenge.makeVerifier())
            for uri in HostileRedirectURI.all {
                let visit = try await browser.get(Self.request(deployment, "App_1", uri, verifier))
                #expect(visit.status == 400 && visit.reply.all("location") == [], "\(uri)")
                #expect(!visit.text.contains("evil") && !visit.text.contains("soc_"), "\(uri)")
            }
            for uri in [
                "https://rp.example/cb", "http://localhost:1", "http://localhost:65535/cb", "http://[::1]:80/cb",
                "oc://callback", "http://nas.example.lan/cb",
            ] {
                let visit = try await browser.get(Self.request(deployment, "App_1", uri, verifier, state: uri))
                #expect(visit.status == 302 || visit.status == 303, "\(uri)")
            }
        }
    }
}
