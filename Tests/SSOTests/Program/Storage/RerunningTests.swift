import SSOWeb
import Storage
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("On a database that runs each write twice", .program)
struct RerunningTests {
    @Test("a sign-in sends one email, makes one account and one token, and the token works once")
    func signIn() async throws {
        try await TestDeployment.open(wrapping: { RerunningDatabase($0) }) { deployment in
            let browser = deployment.browser()
            let complete = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            #expect(deployment.mailbox.all(to: "ann@example.com").count == 1)
            for table in ["account", "account_identity", "sso_token", "challenge", "mail_queue", "device", "session"] {
                #expect(try await deployment.rows(of: table) == 1, "\(table)")
            }
            #expect(try !complete.token().isEmpty)
            let token = try await browser.token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            #expect(try await deployment.verify(token, as: deployment.client).status == 401)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("wrong codes are counted once each, and the fifth ends the code")
    func guesses() async throws {
        try await TestDeployment.open(wrapping: { RerunningDatabase($0) }) { deployment in
            let pending = try await deployment.asking()
            for count in 1...5 {
                #expect(try await pending.guess(pending.wrong).status == 422)
                #expect(try await deployment.failures() == count)
            }
            #expect(try await pending.guess(pending.code).status == 422)
        }
    }

    @Test("of many verifications of one token at once exactly one is accepted")
    func oneWinner() async throws {
        try await TestDeployment.open(wrapping: { RerunningDatabase($0) }) { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let replies = try await atOnce(20) { _ in try await deployment.verify(token, as: deployment.client).status }
            #expect(replies.count { $0 == 200 } == 1 && replies.count { $0 == 401 } == 19)
        }
    }

    @Test("requests of several tabs at once are all kept in the session")
    func tabs() async throws {
        try await TestDeployment.open(wrapping: { RerunningDatabase($0) }) { deployment in
            let browser = deployment.browser()
            _ = try await browser.get(deployment.origin + "/sign-in")
            let states = try await atOnce(6) { number in
                try await browser.get(deployment.authorize(deployment.client, state: "tab-\(number)")).status
            }
            #expect(states == Array(repeating: 303, count: 6))
            let slots = try await deployment.database.read { connection in
                try connection.query("SELECT slots FROM session")[0].text("slots")
            }
            for number in 0..<6 { #expect(slots.contains("tab-\(number)")) }
        }
    }
}
