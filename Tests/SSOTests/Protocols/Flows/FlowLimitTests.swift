import SSOShared
import SSOWeb
import Testing

@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A visitor with one cookie could write its session again and again, and hold up the writer for all users.
@Suite("The limit of sign-ins begun in a session", .program, .alsoOnPostgres)
struct FlowLimitTests {
    private static let from: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.7")]

    private func begin(
        _ browser: Browser, _ deployment: TestDeployment, _ number: Int, _ from: HTTPProbe.Headers = []
    ) async throws -> Visit {
        try await browser.get(deployment.authorize(deployment.client, state: "state-\(number)"), from)
    }

    @Test("30 a minute; then a page names the limit and the wait, and nothing is written. Other browsers go on")
    func ofSession() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            // The first one begins the session.
            for number in 0...FlowLimit.count {
                #expect(try await begin(browser, deployment, number).status == 303)
            }
            let rows = try await deployment.text(of: "session")
            let refused = try await begin(browser, deployment, 100)
            #expect(refused.status == 429 && refused.reply.header("retry-after") == "60")
            #expect(refused.text.contains("30 sign-ins within a minute") && refused.text.contains("60 seconds"))
            #expect(try await deployment.text(of: "session") == rows)
            #expect(try await begin(deployment.browser(), deployment, 101).status == 303)
            deployment.clock.advance(by: .minutes(2))
            #expect(try await begin(browser, deployment, 102).status == 303)
        }
    }

    @Test("prompt=login of a user who is signed in counts as well. Grants do not, and go on over the limit")
    func signedIn() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            deployment.clock.advance(by: .minutes(2))
            let address = { (number: Int) in
                deployment.authorize(deployment.client, state: "s-\(number)") + "&prompt=login"
            }
            for number in 0..<FlowLimit.count {
                #expect(try await browser.get(address(number)).status == 303)
            }
            let refused = try await browser.get(address(100))
            #expect(refused.status == 429 && refused.reply.header("retry-after") == "60")
            #expect(try await begin(browser, deployment, 200).text.contains("sst_"))
            deployment.clock.advance(by: .minutes(2))
            #expect(try await browser.get(address(101)).status == 303)
        }
    }

    @Test("requests without a question count for themselves: the client is told, and the user can sign in meanwhile")
    func silent() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            #expect(try await begin(browser, deployment, 0).status == 303)
            let address = { (number: Int) in
                deployment.authorize(deployment.client, state: "s-\(number)") + "&prompt=none"
            }
            for number in 0..<FlowLimit.count {
                let reply = try await browser.get(address(number)).reply
                #expect(reply.header("location")?.contains("error=login_required") == true)
            }
            let reply = try await browser.get(address(100)).reply
            #expect(reply.status == 302)
            #expect(reply.header("location")?.contains("error=temporarily_unavailable") == true)
            #expect(try await begin(browser, deployment, 1).status == 303)
            deployment.clock.advance(by: .minutes(2))
            let later = try await browser.get(address(101)).reply
            #expect(later.header("location")?.contains("error=login_required") == true)
        }
    }

    @Test("requests without a question that lead to a grant are not counted")
    func silentGrants() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            for number in 0..<FlowLimit.count + 5 {
                let address = deployment.authorize(deployment.client, state: "s-\(number)") + "&prompt=none"
                let visit = try await browser.get(address)
                #expect((visit.text + (visit.reply.header("location") ?? "")).contains("sst_"), "\(number)")
            }
        }
    }

    @Test("/sessions/sign-in counts with the sign-ins for clients")
    func ofPages() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            for _ in 0..<FlowLimit.count {
                #expect(try await browser.get(deployment.origin + "/sessions/sign-in").status == 303)
            }
            let rows = try await deployment.text(of: "session")
            let refused = try await browser.get(deployment.origin + "/sessions/sign-in")
            #expect(refused.status == 429 && refused.reply.header("retry-after") == "60")
            #expect(try await begin(browser, deployment, 0).status == 429)
            #expect(try await deployment.text(of: "session") == rows)
        }
    }

    @Test("every place that begins a flow in a session counts it by this limit")
    func places() throws {
        let all = try TextSources.files(in: "Sources/IdP", ending: "swift")
        let files = all.filter { $0.text.contains("[Flows.self].begin(") }
        for file in files {
            // The parts of a type that has several files.
            let type = file.path.split(separator: "+")[0].replacing(".swift", with: "")
            let text = all.filter { $0.path.hasPrefix(type) }.map(\.text).joined()
            #expect(text.contains("flowLimit.count(") || text.contains("limit.count("), "\(file.path)")
        }
        #expect(files.count == 6)
    }

    @Test("visitors of one network begin as many in sessions they have as there may be new sessions in an hour")
    func ofNetwork() async throws {
        let settings = ["IDP_TRUSTED_PROXIES": "127.0.0.0/8", "IDP_LIMIT_NEW_SESSIONS": "5"]
        try await TestDeployment.open(settings: settings) { deployment in
            let user = try await deployment.signedIn()
            let browsers = (0..<3).map { _ in deployment.browser() }
            for browser in browsers { #expect(try await begin(browser, deployment, 0, Self.from).status == 303) }
            for number in 0..<5 {
                #expect(try await begin(browsers[number % 3], deployment, number, Self.from).status == 303)
            }
            let rows = try await deployment.text(of: "session")
            let refused = try await begin(browsers[2], deployment, 100, Self.from)
            #expect(refused.status == 429 && refused.reply.header("retry-after") == "3600")
            #expect(try await deployment.text(of: "session") == rows)
            #expect(try await begin(user, deployment, 101, Self.from).text.contains("sst_"))
            let elsewhere: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.8")]
            #expect(try await begin(browsers[2], deployment, 102, elsewhere).status == 303)
        }
    }
}
