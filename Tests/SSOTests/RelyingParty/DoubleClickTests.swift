import Synchronization
import Testing

@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOClient
@testable import SSOShared
@testable import TestKit
@testable import WebTestKit

/// On a double click a browser drops the first response and its cookies.
@Suite("A callback that arrives twice", .program)
struct DoubleClickTests {
    /// Eight at once, each with the cookies from before.
    private static func together(_ browser: Browser, _ deployment: TestDeployment, _ state: String) async throws
        -> [Visit]
    {
        try await withThrowingTaskGroup(of: Visit.self) { group in
            for _ in 1...8 {
                let twin = browser.twin()
                group.addTask { try await twin.comeBack(to: deployment.client, state: state) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("it redeems once, and every answer leads to the page with the one new session")
    func together() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client, returnTo: "/account")
            let visits = try await Self.together(browser, deployment, state)
            #expect(visits.map(\.status) == Array(repeating: 303, count: 8))
            #expect(Set(visits.map { $0.reply.header("location") }) == ["/account"])
            let cookies = visits.map { visit in
                visit.reply.all("set-cookie").filter { $0.hasPrefix("rp_session=") }
            }
            #expect(cookies.allSatisfy { $0.count == 1 } && Set(cookies).count == 1)
            #expect(visits.allSatisfy { $0.reply.header("referrer-policy") == "no-referrer" })
            #expect(idp.calls == 1)

            // The click that was sent before the answer arrived: it still has the old cookie.
            let late = browser.twin()
            #expect(try await late.comeBack(to: deployment.client, state: state).status == 303)
            #expect(try await late.userID(at: deployment.client) == "u1")
            #expect(idp.calls == 1)
        }
    }

    @Test(
        "the old cookie and the state without the token give nothing, and neither does any repetition ten seconds later"
    )
    func ownBrowserOnly() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client)
            let planted = browser.twin()
            #expect(try await browser.comeBack(to: deployment.client, state: state).status == 303)
            let guess = String(Browser.someToken.dropLast()) + "9"
            for fields in [
                [("state", state)], [("token", guess), ("state", state)], [("token", ""), ("state", state)],
            ] {
                let visit = try await planted.comeBack(to: deployment.client, fields)
                #expect(visit.status == 400 && visit.reply.all("set-cookie") == [])
            }
            let bare = try await deployment.browser().comeBack(to: deployment.client, state: state)
            #expect(bare.status == 400 && bare.reply.all("set-cookie") == [])
            deployment.clock.advance(by: .seconds(10))
            let late = try await planted.comeBack(to: deployment.client, state: state)
            #expect(late.status == 400 && late.reply.all("set-cookie") == [])
            #expect(idp.calls == 1)
        }
    }

    @Test("when it fails, all requests fail, the IdP is called once, and a later request finds the state used")
    func failure() async throws {
        let idp = try FakeIdP { _ in .bytes(FakeIdP.http("503 Service Unavailable")) }
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client)
            let visits = try await Self.together(browser, deployment, state)
            #expect(visits.contains { $0.status == 503 })
            #expect(visits.allSatisfy { $0.status == 503 || $0.status == 400 })
            #expect(idp.calls == 1)
            #expect(try await browser.comeBack(to: deployment.client, state: state).status == 400)
        }
    }

    @Test("finished sign-ins are deleted when another user signs in")
    func anotherUser() async throws {
        let calls = Mutex(0)
        let idp = try FakeIdP { request in
            let number = calls.withLock { count in
                count += 1
                return count
            }
            return .bytes(FakeIdP.signed(request, FakeIdP.reply(user: number < 3 ? "ann" : "ben")))
        }
        try await idp.open { deployment in
            let browser = deployment.browser()
            func signIn(_ path: String) async throws -> String {
                let state = try await browser.state(at: deployment.client, returnTo: path)
                #expect(
                    try await browser.comeBack(to: deployment.client, state: state).reply.header("location") == path)
                return state
            }
            let states = [try await signIn("/of-ann"), try await signIn("/of-ann-too")]
            for state in states {
                #expect(
                    try await browser.comeBack(to: deployment.client, state: state).status == 303,
                    "the user's own reload")
            }
            let ben = try await signIn("/of-ben")
            deployment.clock.advance(by: .seconds(10))
            for state in states {
                let visit = try await browser.comeBack(to: deployment.client, state: state)
                #expect(visit.status == 400 && !visit.text.contains("/of-ann"))
            }
            #expect(try await browser.comeBack(to: deployment.client, state: ben).reply.header("location") == "/of-ben")
            #expect(try await browser.userID(at: deployment.client) == "ben")
            #expect(idp.calls == 3)
        }
    }

    @Test("an outcome is kept for ten seconds, and failures are not kept")
    func bounded() async throws {
        let clock = TestClock()
        let once = SignInOnce<SignInRoutes.Outcome> { clock.now.date }
        for number in 0..<100 {
            let outcome = try await once.run([UInt8(number)]) { .init(path: "/\(number)", session: nil) }
            #expect(outcome.path == "/\(number)")
            await #expect(throws: RunError.self) {
                _ = try await once.run([UInt8(number), 0]) { throw RunError() }
            }
        }
        #expect(once.count == 100)
        clock.advance(by: .seconds(10))
        _ = try await once.run([200]) { .init(path: "/", session: nil) }
        #expect(once.count == 1)
    }

    private struct RunError: Error {}
}
