import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The lifetime of a session", .program, .alsoOnPostgres)
struct SessionLifetimeTests {
    /// NIST SP 800-63B-4 2.2.3, ASVS 7.3.1.
    @Test("a session ends after two hours without use", arguments: [(7199, true), (7200, false), (7201, false)])
    func idle(seconds: Int, lives: Bool) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            deployment.clock.advance(by: .seconds(seconds))
            #expect(try await browser.isSignedInOnHomePage(of: deployment) == lives)
        }
    }

    @Test(
        "use extends it, and it ends after twelve hours in any case",
        arguments: [(43199, true), (43200, false), (43201, false)])
    func absolute(seconds: Int, lives: Bool) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            for _ in 0..<11 {
                deployment.clock.advance(by: .hours(1))
                #expect(try await browser.isSignedInOnHomePage(of: deployment))
            }
            deployment.clock.advance(by: .seconds(seconds - 11 * 3600))
            #expect(try await browser.isSignedInOnHomePage(of: deployment) == lives)
        }
    }

    @Test("a cookie kept beyond its session's end does not work, and the next sign-in sets another")
    func afterwards() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            try await asking.guess(asking.code)
            let old = asking.browser.session
            deployment.clock.advance(by: .hours(3))
            let again = try await deployment.asking(by: asking.browser)
            #expect(try await again.guess(again.code).status == 303)
            #expect(again.browser.session != old)
            #expect(try await again.browser.isSignedInOnHomePage(of: deployment))
        }
    }
}
