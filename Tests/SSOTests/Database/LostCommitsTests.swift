import Storage
import Testing

@testable import IdP
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// A standby was promoted that lacks the last commits: what was used may be unused again.
@Suite("After commits were lost")
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
}
