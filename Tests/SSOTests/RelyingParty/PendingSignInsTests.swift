import SSOWeb
import Testing

@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOClient
@testable import SSOShared
@testable import TestKit
@testable import WebTestKit

/// Several parallel sign-ins of one browser: each state is separate and lasts ten minutes, with at most eight of
/// them.
@Suite("Pending sign-ins at the relying party", .program)
struct PendingSignInsTests {
    @Test("a state is valid for ten minutes and not a second longer", arguments: [599, 601])
    func lifetime(seconds: Int) async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client)
            deployment.clock.advance(by: .seconds(seconds))
            let visit = try await browser.comeBack(to: deployment.client, state: state)
            #expect(visit.status == (seconds < 600 ? 303 : 400))
            #expect(idp.calls == (seconds < 600 ? 1 : 0))
            if seconds > 600 { #expect(try visit.page().link(containing: "/auth/sso/start") != nil) }
        }
    }

    @Test("of nine sign-ins the oldest is dropped, and the eight others finish in reverse order")
    func eight() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            var states: [String] = []
            for number in 1...9 {
                states.append(try await browser.state(at: deployment.client, returnTo: "/page-\(number)"))
                deployment.clock.advance(by: .seconds(1))
            }
            #expect(Set(states).count == 9)
            #expect(try await browser.comeBack(to: deployment.client, state: states[0]).status == 400)
            #expect(idp.calls == 0)
            for number in stride(from: 9, through: 2, by: -1) {
                let visit = try await browser.comeBack(to: deployment.client, state: states[number - 1])
                #expect(visit.status == 303)
                #expect(visit.reply.header("location") == "/page-\(number)")
            }
            #expect(idp.calls == 8)
        }
    }

    @Test("two tabs that start at the same moment keep both sign-ins, and both finish")
    func together() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            // Both requests leave before the first answer arrives. The browser keeps the cookies of both answers.
            let tabs = (1...2).map { ("/tab-\($0)", browser.twin()) }
            var states: [String] = []
            for (path, tab) in tabs {
                states.append(try await tab.state(at: deployment.client, returnTo: path))
                for (name, value) in tab.cookies["127.0.0.2", default: [:]] {
                    browser.setCookie(name, to: value, at: "127.0.0.2")
                }
            }
            for (tab, state) in zip(tabs, states) {
                let visit = try await browser.comeBack(to: deployment.client, state: state)
                #expect(visit.status == 303 && visit.reply.header("location") == tab.0)
            }
            #expect(idp.calls == 2)
            #expect(browser.pendingSignIns.isEmpty)
        }
    }

    @Test("after ten thousand starts the list is as small as after eight")
    func bounded() async throws {
        var pending = PendingSignIns()
        for number in 1...10_000 {
            pending.add(
                .init(
                    state: "state-\(number)", codeVerifier: "v", idp: "i", returnTo: "/", begunAt: TestClock().now.date)
            )
        }
        #expect(pending.open.count == 8)
        #expect(pending.open.first?.state == "state-9993")
        for asked in pending.open { pending.remove(asked.state) }
        #expect(pending.open.isEmpty && pending.finished.isEmpty)
        for number in 1...100 {
            pending.finish(
                .init(
                    state: "state-\(number)", codeVerifier: "v", idp: "i", returnTo: "/", begunAt: TestClock().now.date),
                by: try SignInCallback { $0 == "state" ? ["state-\(number)"] : [] })
        }
        #expect(pending.finished.map(\.state) == (93...100).map { "state-\($0)" })
    }

    @Test("a reload of the callback after success leads to the page without another call to the IdP")
    func reload() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client, returnTo: "/account")
            for _ in 1...3 {
                let visit = try await browser.comeBack(to: deployment.client, state: state)
                #expect(visit.status == 303)
                #expect(visit.reply.header("location") == "/account")
            }
            #expect(idp.calls == 1)
            // Another browser that learned the address gets nothing.
            #expect(try await deployment.browser().comeBack(to: deployment.client, state: state).status == 400)
        }
    }

    @Test("a used state with another token is a 400 page in the browser that is signed in, also with its old cookie")
    func otherToken() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client, returnTo: "/account")
            let pending = try #require(browser.pendingSignIns.first)
            #expect(try await browser.comeBack(to: deployment.client, state: state).status == 303)
            let other = String(Browser.someToken.dropLast()) + "9"
            for wait in [Duration.zero, .seconds(10)] {
                deployment.clock.advance(by: wait)
                for cookie in [nil, pending.value] {
                    browser.setCookie(pending.key, to: cookie, at: "127.0.0.2")
                    for fields in [
                        [("token", other), ("state", state)], [("state", state)],
                        [("error", "access_denied"), ("state", state)],
                    ] {
                        let visit = try await browser.comeBack(to: deployment.client, fields)
                        #expect(visit.status == 400 && visit.text.contains("You are already signed in"), "\(fields)")
                    }
                    let reload = try await browser.comeBack(to: deployment.client, state: state)
                    #expect(reload.status == 303 && reload.reply.header("location") == "/account")
                }
            }
            #expect(try await browser.userID(at: deployment.client) == "u1")
            #expect(idp.calls == 1)
        }
    }

    @Test("a sign-in started by an image on another site changes nothing for a signed-in user")
    func startByImage() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            _ = try await browser.comeBack(to: deployment.client, state: browser.state(at: deployment.client))
            let image = [("Sec-Fetch-Dest", "image"), ("Sec-Fetch-Site", "cross-site")]
            for _ in 1...20 { _ = try await browser.get(deployment.client.origin + "/auth/sso/start", image) }
            #expect(try await browser.userID(at: deployment.client) == "u1")
            #expect(idp.calls == 1)
        }
    }
}
