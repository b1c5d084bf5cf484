import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A complete sign-in, both programs in one process", .program, .alsoOnPostgres)
struct SignInFlowTests {
    @Test("a user signs in at a client with a code from an email")
    func firstSignIn() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let complete = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            #expect(complete.text.contains("Authentication complete"))
            let home = try await browser.follow(browser.get(complete.callback()))
            #expect(home.address.absolute == deployment.client.origin + "/")
            #expect(try await browser.isSignedIn(at: deployment.client))
        }
    }

    @Test("a token works once")
    func singleUse() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            #expect(try await deployment.verify(token, as: deployment.client).status == 401)
        }
    }
}
