import ProbeKit
import Storage
import Testing

@testable import IdPSchema
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// A standby was promoted that lacks the last commits: what was used may be unused again.
@Suite("After commits were lost", .program, .alsoOnPostgres)
struct LostCommitsTests {
    @Test("tokens, codes and handoffs that were unused are void, sessions go on, and a new sign-in works at once")
    func ended() async throws {
        try await TestDeployment.withApps { deployment in
            let browser = try await deployment.signedIn(as: "ben@example.com")
            let token = try await browser.token(for: deployment.client, of: deployment)
            let app = try deployment.app()
            let code = try await deployment.handOff(app, in: deployment.browser()).handoffCode()
            let asking = try await deployment.asking("dan@example.com")
            let now = deployment.clock.now
            try await deployment.database.write { try IdPTable.end(.lostCommits, at: now, $0) }

            #expect(try await deployment.verify(token, as: deployment.client).status == 401)
            #expect(try await app.present(code, in: deployment.webView()).status == 400)
            #expect(try await asking.guess(asking.code).status < 500)
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))

            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            let second = try await browser.token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(second, as: deployment.client).status == 200)
            _ = try await deployment.signedIn(as: "eve@example.com")
        }
    }

    @Test("a refresh token of OpenID Connect that was unused is refused; access tokens go on until their end")
    func refreshTokens() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            func tokens(_ state: String) async throws -> (access: String, refresh: String) {
                let code = try await deployment.oidcCode(
                    browser, nil, ["scope": "openid offline_access", "state": state])
                let reply = try await deployment.oidcToken(code, as: deployment.client).json()
                return (
                    try #require(reply["access_token"]?.text), try #require(reply["refresh_token"]?.text)
                )
            }
            let before = try await tokens("a")
            let rotated = try await deployment.oidcRefresh(before.refresh, as: deployment.client)
            let successor = try #require(rotated.json()["refresh_token"]?.text)
            // As the standby has it, which has not heard of the rotation.
            try await deployment.stored.refreshTokens.unused.delete()
            try await deployment.stored.refreshTokens.setUnused()
            let now = deployment.clock.now
            try await deployment.database.write { try IdPTable.end(.lostCommits, at: now, $0) }

            for token in [before.refresh, successor] {
                let refused = try await deployment.oidcRefresh(token, as: deployment.client)
                #expect(refused.status == 400 && refused.text.contains("invalid_grant"), "\(refused.text)")
            }
            #expect(try await deployment.oidcUserInfo(before.access).status == 200)
            let after = try await tokens("b")
            #expect(try await deployment.oidcRefresh(after.refresh, as: deployment.client).status == 200)
        }
    }
}
