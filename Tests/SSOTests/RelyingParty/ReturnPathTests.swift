import SSOClient
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

/// No open redirector after the sign-in (RFC 9700 4.11.1).
@Suite("The return path of a sign-in", .program)
struct ReturnPathTests {
    static let elsewhere = [
        "//evil.example", "///evil.example", "/\\evil.example", "\\/evil.example", "\\\\evil.example",
        "https://evil.example", "https:evil.example", "javascript:alert(1)", "data:text/html,x", "evil.example",
        "/\t/evil.example", "\t//evil.example", " //evil.example", "/\r\n/evil.example", "/a\r\nSet-Cookie: a=b",
        "/a\u{0}b", "/caf\u{e9}", "/\u{2028}", "/\u{ff0f}evil.example", "", "?a=b", "#a", ".", "../a",
        "/" + String(repeating: "a", count: 1024),
    ]
    static let here = ["/", "/account", "/a/b?c=d&e=f", "/a%2fb", "/a//b", "/a?u=https://evil.example/", "/.//a"]

    @Test("a path that a browser could read as another origin becomes the start page", arguments: elsewhere)
    func refused(path: String) { #expect(ReturnPath.checked(path) == "/") }

    @Test("a path on this origin is kept byte for byte", arguments: here)
    func kept(path: String) { #expect(ReturnPath.checked(path) == path) }

    @Test("no return_to leads to another origin, and a valid one leads to its page")
    func wholeWay() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            for path in ["//evil.example", "/\\evil.example", "https://evil.example/", "/a\r\nX-Injected: 1"] {
                let state = try await browser.state(at: deployment.client, returnTo: path)
                let visit = try await browser.comeBack(to: deployment.client, state: state)
                #expect(visit.reply.header("location") == "/")
                #expect(visit.reply.header("x-injected") == nil)
            }
            let query = "return_to=/account&return_to=//evil.example"
            let twice = try await browser.get("\(deployment.client.origin)/auth/sso/start?\(query)")
            let back = try await browser.comeBack(
                to: deployment.client, state: twice.location().query("state") ?? "")
            #expect(back.reply.header("location") == "/")

            let state = try await browser.state(at: deployment.client, returnTo: "/account?tab=1&x=%41")
            let good = try await browser.comeBack(to: deployment.client, state: state)
            #expect(good.reply.header("location") == "/account?tab=1&x=%41")
        }
    }

    @Test("the page for signed-in users leads to the sign-in and back")
    func account() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let account = try await browser.get(deployment.client.origin + "/account")
            #expect(account.status == 303)
            let start = try await browser.get(account.location())
            #expect(start.status == 302)
            let state = try #require(try start.location().query("state"))
            let page = try await browser.follow(browser.comeBack(to: deployment.client, state: state))
            #expect(page.address.path == "/account" && page.status == 200)

            let visitor = deployment.browser()
            let deep = try await visitor.get(deployment.client.origin + "/account?tab=a%26b&x=1")
            let back = try await visitor.get(deep.location()).location().query("state")
            let visit = try await visitor.comeBack(to: deployment.client, state: back ?? "")
            #expect(visit.reply.header("location") == "/account?tab=a%26b&x=1")
        }
    }

    @Test("a sign-in ends in a redirect to a URL without the token, which is neither cached nor sent as a Referer")
    func clean() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let visit = try await browser.comeBack(to: deployment.client, state: browser.state(at: deployment.client))
            #expect(visit.status == 303)
            #expect(visit.reply.header("location") == "/")
            #expect(visit.reply.all("referrer-policy") == ["no-referrer"])
            #expect(visit.reply.all("cache-control") == ["no-store"])
            #expect(!visit.text.contains("sst_"))
        }
    }
}
