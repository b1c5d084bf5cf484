import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPOIDC
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// An alarm that a visitor can raise at will hides the real one.
@Suite("What a visitor or a user raises in the log", .program)
struct RaisedAlarmTests {
    /// The level of each line with an event, in their order.
    private static func levels(of event: String, _ deployment: TestDeployment) -> [String] {
        deployment.log.text.split(separator: "\n").filter { $0.contains(" \(event) ") }
            .map { String($0.prefix { $0 != " " }) }
    }

    private static func levels(_ deployment: TestDeployment) -> [[String]] {
        ["code_reused", "refresh_token_reused", "code_leaked", "token_request_refused"]
            .map { Array(Set(levels(of: $0, deployment))).sorted() }
    }

    @Test("a code or refresh token that leaks from a client with a secret is an alarm, whichever way it shows")
    func confidential() async throws {
        try await TestDeployment.openWithOIDC(clients: 2) { deployment in
            let (owner, thief, browser) = (
                deployment.clients[0], deployment.clients[1], try await deployment.signedIn()
            )
            let code = try await deployment.oidcCode(browser, nil, ["scope": "openid offline_access"])
            let first = try await deployment.oidcToken(code, as: owner)
            let refresh = try #require(try first.json()["refresh_token"]?.text)
            #expect(try await deployment.oidcRefresh(refresh, as: owner).status == 200)
            deployment.clock.advance(by: .minutes(1))
            #expect(try await deployment.oidcRefresh(refresh, as: owner).status == 400)
            #expect(try await deployment.oidcToken(code, as: owner).status == 400)
            let other = try await deployment.oidcCode(browser, nil, ["state": "other"])
            let stolen = try await deployment.oidcToken(other, as: thief, [("redirect_uri", owner.callback)])
            #expect(stolen.status == 400)
            #expect(Self.levels(deployment) == [["error"], ["error"], ["warning"], ["info", "warning"]])
        }
    }

    @Test("the user of a public client raises none, neither by their own code and token nor by those of another client")
    func ofPublicClient() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let offline: [String: ClientEntry.Value] = ["scopes": .list(["openid", "offline_access"])]
            try await deployment.add(AddedClient("app"), OIDCSteps.publicApp.merging(offline) { $1 })
            let (browser, callback) = (try await deployment.signedIn(), "http://127.0.0.1:41234/callback")
            let verifier = try CodeChallenge.makeVerifier()
            let request = deployment.oidcRequest(
                deployment.client,
                [
                    "client_id": "app", "redirect_uri": callback, "scope": "openid offline_access",
                    "code_challenge": CodeChallenge.s256(verifier), "code_challenge_method": "S256",
                ])
            let question = try await browser.follow(browser.get(request))
            let link = try #require(try question.page().link(containing: OIDCPath.complete))
            let page = try await browser.follow(browser.click(link, on: question))
            let code = try #require(page.text.firstMatch(of: #/code=(soc_[A-Za-z0-9_-]{43})/#)).1
            func redeem(_ code: some StringProtocol, _ uri: String) async throws -> ProbeReply {
                let fields = [
                    ("client_id", "app"), ("grant_type", "authorization_code"), ("code", String(code)),
                    ("redirect_uri", uri), ("code_verifier", verifier),
                ]
                return try await deployment.oidcPost(OIDCPath.token, fields, as: nil)
            }
            func refresh(_ token: String) async throws -> Int {
                let fields = [("client_id", "app"), ("grant_type", "refresh_token"), ("refresh_token", token)]
                return try await deployment.oidcPost(OIDCPath.token, fields, as: nil).status
            }
            let token = try #require(try await redeem(code, callback).json()["refresh_token"]?.text)
            #expect(try await refresh(token) == 200)
            deployment.clock.advance(by: .minutes(1))
            #expect(try await refresh(token) == 400)
            #expect(try await redeem(code, callback).status == 400)
            let other = try await deployment.oidcCode(browser, nil, ["scope": "openid offline_access"])
            #expect(try await redeem(other, deployment.client.callback).status == 400)
            let next = try await deployment.oidcCode(browser, nil, ["scope": "openid offline_access", "state": "next"])
            let foreign = try await deployment.oidcToken(next, as: deployment.client).json()["refresh_token"]?.text
            #expect(try await refresh(try #require(foreign)) == 400)
            #expect(Self.levels(of: "refresh_token_reused", deployment).count == 2)
            #expect(Self.levels(deployment) == [["info"], ["info"], ["info"], ["info"]])
        }
    }

    @Test("a notification that is not Apple's raises none, however often it comes")
    func appleNotifications() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            for body in ["", "{}", "{\"payload\":\"a.b.c\"}", "x"] {
                #expect(try await place.sendAppleNotification(body).status == 400)
            }
            let standIn = try place.standIn(.apple)
            let forged = try standIn.notification("account-delete", subject: "x", email: nil) {
                $0.header["kid"] = "another"
            }
            #expect(try await place.sendAppleNotification(forged).status == 503)
            #expect(
                Self.levels(of: "apple_notification_refused", place.deployment) == Array(repeating: "info", count: 5))
        }
    }
}
