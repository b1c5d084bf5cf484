import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("How long sessions last", .program, .alsoOnPostgres)
struct SessionSettingsTests {
    /// Settings of the IdP, then for how long of no use a session still holds and no longer holds.
    private static let limits: [(settings: [String: String], holds: Duration, ends: Duration)] = [
        ([:], .minutes(119), .minutes(121)),
        (["IDP_SESSION_IDLE": "20m"], .minutes(19), .minutes(21)),
        (["IDP_SESSION_IDLE": "1230s"], .minutes(20), .minutes(21)),
        (["IDP_SESSION_IDLE": "1d", "IDP_SESSION_LIFETIME": "7d"], .hours(23), .hours(25)),
        (["IDP_SESSION_IDLE": "1d"], .hours(11), .hours(13)),
    ]

    @Test(
        "a session that is not used ends with the idle limit, and never later than with the lifetime", arguments: limits
    )
    func idle(row: (settings: [String: String], holds: Duration, ends: Duration)) async throws {
        for (wait, holds) in [(row.holds, true), (row.ends, false)] {
            try await TestDeployment.open(settings: row.settings) { deployment in
                let browser = try await deployment.signedIn()
                deployment.clock.advance(by: wait)
                #expect(try await browser.isSignedInOnHomePage(of: deployment) == holds, "\(wait)")
            }
        }
    }

    @Test("a session that is used ends with the lifetime")
    func lifetime() async throws {
        try await TestDeployment.open(settings: ["IDP_SESSION_LIFETIME": "3h", "IDP_SESSION_IDLE": "2h"]) {
            deployment in
            let browser = try await deployment.signedIn()
            for _ in 1...2 {
                deployment.clock.advance(by: .minutes(80))
                #expect(try await browser.isSignedInOnHomePage(of: deployment))
            }
            deployment.clock.advance(by: .minutes(30))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        }
    }
}
