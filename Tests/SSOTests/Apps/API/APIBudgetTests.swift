import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// ASVS 6.3.8, NIST SP 800-63B-4 3.2.2.
@Suite("The JSON API has the limits of the pages", .program, .alsoOnPostgres)
struct APIBudgetTests {
    @Test("it answers the same, byte for byte but the key, for a known, a new, a disabled and a foreign address")
    func enumeration() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedInApp(as: "known@example.com")
            _ = try await deployment.signedInApp(as: "fired@example.com")
            try await deployment.stored.accounts.of("fired@example.com").disable()
            deployment.clock.advance(by: .days(2))
            var all: [[String]] = []
            for address in ["known@example.com", "fresh@example.com", "fired@example.com", "stray@nowhere.org"] {
                all.append(try await Self.answers(to: address, deployment))
            }
            #expect(Set(all).count == 1, "\(Set(all))")
            #expect(all[0].contains { $0.hasPrefix("429") }, "the comparison includes the pause")
            #expect(try await deployment.emailsQueued(to: "stray@nowhere.org") == 0)
        }
    }

    /// The address twice and six wrong codes, until the account is paused.
    private static func answers(to address: String, _ deployment: TestDeployment) async throws -> [String] {
        var answers: [String] = []
        for _ in 0..<5 {
            try await deployment.forgetEmails(to: address)
            let app = deployment.jsonApp()
            let begun = try await app.begin(address)
            let challenge = try begun.json()["challenge"]?.text ?? ""
            let again = try await app.begin(address, challenge: challenge)
            answers += [begun, again].map { $0.shape.replacing(challenge, with: "KEY") }
            for _ in 0..<6 { answers.append(try await app.finish(challenge, "000000").shape) }
        }
        return answers
    }

    @Test("a code allows five tries, then the right one is refused")
    func fivePerCode() async throws {
        try await TestDeployment.open { deployment in
            let app = deployment.jsonApp()
            let (challenge, code) = try await deployment.asking(by: app)
            let wrong = code == "000000" ? "000001" : "000000"
            for _ in 0..<5 { _ = try await app.finish(challenge, wrong) }
            let refused = try await app.finish(challenge, code)
            #expect(refused.apiError == "invalid_code")
            #expect(try await deployment.failures() == 5)
        }
    }

    @Test("an account allows twenty tries through pages and API together, then codes pause for both")
    func twentyPerAccount() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.typeWrongCodes(15)
            try await deployment.forgetEmails(to: "ann@example.com")
            let app = deployment.jsonApp()
            let (challenge, _) = try await deployment.asking(by: app)
            for _ in 0..<5 { _ = try await app.finish(challenge, "00000 0") }
            #expect(try await deployment.failures() == 20)
            try await deployment.forgetEmails(to: "ann@example.com")
            let next = try await deployment.asking(by: app)
            let paused = try await app.finish(next.challenge, next.code)
            #expect(paused.status == 429 && paused.apiError == "rate_limited")
            #expect(paused.header("retry-after") == "3600")
            try await deployment.forgetEmails(to: "ann@example.com")
            // The page has no field for a code during the pause, but its address can be posted to.
            let asking = try await deployment.asking()
            #expect(try asking.waiting.page().form(with: "code") == nil)
            let fields = try [("form_token", asking.waiting.formToken()), ("code", asking.code)]
            let page = try await asking.browser.post(asking.waiting.address, fields)
            #expect(page.status == 429 && page.reply.header("retry-after") == "3600")
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a known app has a budget of its own: the attacker's twenty tries do not keep it out")
    func knownApp() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            try await deployment.typeWrongCodes(20)
            app.setCookie("idp_session", to: nil)
            try await deployment.forgetEmails(to: "ann@example.com")
            let (challenge, code) = try await deployment.asking(by: app)
            let status = try await app.finish(challenge, code).status
            #expect(status == 200)
        }
    }

    @Test("limits per network count the API's requests with those of the pages")
    func networks() async throws {
        let settings = [
            "IDP_TRUSTED_PROXIES": "127.0.0.0/8", "IDP_LIMIT_EMAIL_POSTS": "2", "IDP_LIMIT_CODE_POSTS": "2",
        ]
        try await TestDeployment.open(settings: settings) { deployment in
            let app = deployment.jsonApp()
            _ = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            let second = try await app.begin("not an address").status
            #expect(second == 400)
            let third = try await app.begin("bob@example.com")
            #expect(third.status == 429 && third.apiError == "rate_limited" && third.header("retry-after") != nil)
            for _ in 0..<2 { _ = try await app.finish("unknown", "123456") }
            let code = try await app.finish("unknown", "123456")
            #expect(code.status == 429)
        }
    }
}
