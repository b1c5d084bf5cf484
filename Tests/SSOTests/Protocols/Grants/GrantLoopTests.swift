import SSOShared
import SSOWeb
import Testing

@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Threat 304.
@Suite("A signed-in browser that asks for tokens in a loop", .program, .alsoOnPostgres)
struct GrantLoopTests {
    @Test(
        "it gets 50 in a minute that no client redeems, then a page that says how long to wait, and another browser is not held back"
    )
    func unredeemed() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            // The sign-in has issued one.
            var statuses: [Int] = [200]
            for number in 1..<60 {
                statuses.append(
                    try await browser.get(deployment.authorize(deployment.client, state: "state-\(number)")).status)
            }
            #expect(statuses == [Int](repeating: 200, count: 50) + [Int](repeating: 429, count: 10))
            let refused = try await browser.get(deployment.authorize(deployment.client, state: "more"))
            #expect(refused.reply.header("retry-after") == "60" && refused.status == 429)
            #expect(try await deployment.rows(of: "sso_token") == 50)
            #expect(try await deployment.auditRows(.tokenIssued).count == 50)
            let other = try await deployment.signedIn(as: "eve@example.com")
            _ = try await other.token(for: deployment.client, of: deployment)
            deployment.clock.advance(by: .minutes(2))
            _ = try await browser.token(for: deployment.client, of: deployment, state: "later")
        }
    }

    @Test("tokens that the client's server redeems do not count: its own load bounds them")
    func redeemed() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            for number in 0..<120 {
                let token = try await browser.token(for: deployment.client, of: deployment, state: "state-\(number)")
                #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            }
        }
    }

    @Test("the same request again and again has one row of the audit log and one token")
    func sameRequest() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let before = (
                try await deployment.rows(of: "sso_token"), try await deployment.auditRows(.tokenIssued).count
            )
            for _ in 0..<20 { _ = try await browser.token(for: deployment.client, of: deployment, state: "same") }
            #expect(try await deployment.rows(of: "sso_token") == before.0 + 1)
            #expect(try await deployment.auditRows(.tokenIssued).count == before.1 + 1)
        }
    }

    @Test("so has a request for a client that the user may not enter")
    func noAccess() async throws {
        try await TestDeployment.open(clients: 2, keys: ["access: everyone", "groups: [board]"]) { deployment in
            let browser = try await deployment.signedIn()
            try await deployment.makeGroups(["board"])
            for _ in 0..<20 {
                #expect(try await browser.get(deployment.authorize(deployment.clients[1], state: "same")).status == 403)
            }
            #expect(try await deployment.auditRows(.accessRefused).count == 1)
        }
    }
}
