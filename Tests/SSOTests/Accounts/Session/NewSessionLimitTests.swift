import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// ASVS 2.4.1: a session is a row, and a browser that drops the cookie makes one per visit.
@Suite("The limit of new sessions per network", .program, .alsoOnPostgres)
struct NewSessionLimitTests {
    private static let settings = ["IDP_TRUSTED_PROXIES": "127.0.0.0/8", "IDP_LIMIT_NEW_SESSIONS": "120"]

    @Test("a limit of 120 per hour, by the sign-in form or by authorize; then a page with the wait, and no further row")
    func limit() async throws {
        try await TestDeployment.open(settings: Self.settings) { deployment in
            let from: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.7")]
            let known = deployment.browser()
            #expect(try await known.get(deployment.origin + "/sign-in", from).status == 200)
            for number in 1..<120 {
                let address =
                    number % 2 == 0
                    ? deployment.origin + "/sign-in" : deployment.authorize(deployment.client, state: "s")
                #expect(try await deployment.browser().get(address, from).status == (number % 2 == 0 ? 200 : 303))
            }
            #expect(try await deployment.rows(of: "session") == 120)
            for address in [deployment.origin + "/sign-in", deployment.authorize(deployment.client, state: "s")] {
                let refused = try await deployment.browser().get(address, from)
                #expect(refused.status == 429 && refused.reply.header("retry-after") == "3600")
                #expect(refused.reply.all("set-cookie") == [])
                #expect(try refused.page().tags.contains { $0.name == "h1" } && refused.text.contains("60 minutes"))
            }
            #expect(try await deployment.rows(of: "session") == 120)

            // A browser with a session is not limited. Neither is another network, a HEAD request, or a page without
            // a session.
            #expect(try await known.get(deployment.origin + "/sign-in", from).status == 200)
            #expect(try await known.get(deployment.authorize(deployment.client, state: "s"), from).status == 303)
            #expect(try await deployment.browser().get(deployment.origin + "/signed-out", from).status == 200)
            let elsewhere: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.8")]
            #expect(try await deployment.browser().get(deployment.origin + "/sign-in", elsewhere).status == 200)
            deployment.clock.advance(by: .hours(2))
            #expect(try await deployment.browser().get(deployment.origin + "/sign-in", from).status == 200)
        }
    }

    @Test("loopback is not counted: all clients behind an undeclared proxy would share it")
    func loopback() async throws {
        try await TestDeployment.open { deployment in
            for _ in 0..<130 {
                let form = try await deployment.browser().get(deployment.origin + "/sign-in")
                #expect(form.status == 200)
            }
        }
    }
}
