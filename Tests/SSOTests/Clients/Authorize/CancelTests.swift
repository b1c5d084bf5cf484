import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// RFC 6749 4.1.2.1: `access_denied`, with the state, at the registered redirect URI and nowhere else.
@Suite("Back to the client without signing in", .program)
struct CancelTests {
    private static func cancelled(_ redirectURI: String, state: String) -> String {
        let separator = redirectURI.contains("?") ? "&" : "?"
        return "\(redirectURI)\(separator)error=access_denied&state=\(PercentCoding.encode(state))"
    }

    @Test(
        "the link of the sign-in page leads to the redirect URI with error and state",
        .oneDeployment(settings: WebRelyingParty.settings),
        arguments: [WebRelyingParty.redirectURI, WebRelyingParty.secondURI], ["s", "a b&error=x#</script>"])
    func link(uri: String, state: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = deployment.browser()
        let form = try await browser.follow(
            browser.get(WebRelyingParty.authorize(at: deployment.origin, redirect: uri, state: state)))
        #expect(form.text.contains("Back to <bdi>\(WebRelyingParty.name)</bdi>"))
        let back = try await browser.click(form.page().link(containing: FlowID.cancelPath), on: form)
        #expect(back.status == 302 && back.reply.all("location") == [Self.cancelled(uri, state: state)])
        #expect(back.reply.header("cache-control") == "no-store")
        let line = deployment.log.text.split(separator: "\n").first { $0.contains("sign_in_cancelled") }
        #expect(line?.contains("\"client\": web") == true && line?.contains("\"flow\"") == true)
    }

    @Test("an app with a private scheme gets it too")
    func app() async throws {
        let settings = WebRelyingParty.settings.merging(["SSO_REDIRECT_URIS": "com.example.app:/cb"]) { $1 }
        try await TestDeployment.open(settings: settings) { deployment in
            let browser = deployment.browser()
            let form = try await browser.follow(
                browser.get(WebRelyingParty.authorize(at: deployment.origin, redirect: "com.example.app:/cb")))
            let back = try await browser.click(form.page().link(containing: FlowID.cancelPath), on: form)
            #expect(back.reply.all("location") == ["com.example.app:/cb?error=access_denied&state=s"])
        }
    }

    @Test("only this flow ends: it can be neither continued nor cancelled again, and issues no token")
    func ended() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = deployment.browser()
            let first = try await browser.beginSignIn(at: deployment.clients[0])
            let second = try await browser.beginSignIn(at: deployment.clients[1])
            let flow = try #require(first.address.query("flow"))
            _ = try await browser.click(first.page().link(containing: FlowID.cancelPath), on: first)
            for path in [FlowID.cancelPath, SSOPath.complete] {
                let late = try await browser.get("\(deployment.origin)\(path)?flow=\(flow)")
                #expect(late.status == 410 && late.text.contains(deployment.clients[0].name), "\(path)")
            }
            let waiting = try await browser.ask(for: "ann@example.com", on: second)
            let complete = try await browser.enter(deployment.mailbox.code(to: "ann@example.com"), on: waiting)
            #expect(try complete.callback().absolute.hasPrefix(deployment.clients[1].callback + "?"))
            #expect(try await browser.get("\(deployment.origin)\(SSOPath.complete)?flow=\(flow)").status == 410)
            #expect(try await deployment.stored.grants.of(client: "partner-1").count() == 0)
        }
    }

    @Test("the sample relying party says that the sign-in was cancelled, in the language of the browser")
    func atTheClient() async throws {
        for (language, words) in [("en", "was cancelled"), ("de", "abgebrochen")] {
            try await TestDeployment.open { deployment in
                let browser = deployment.browser(language: language)
                let form = try await browser.beginSignIn(at: deployment.client)
                let end = try await browser.follow(
                    browser.click(form.page().link(containing: FlowID.cancelPath), on: form))
                #expect(end.status == 400 && end.text.contains(words))
                #expect(
                    try end.address.origin == deployment.client.origin
                        && end.page().link(containing: "/auth/sso/start") != nil)
                #expect(try await !browser.isSignedIn(at: deployment.client))
            }
        }
    }

    @Test("on the choice of an account: the user stays signed in, and the client gets no token")
    func accountChoice() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let tokens = try await deployment.rows(of: "sso_token")
            let choice = try await browser.follow(
                browser.get(deployment.authorize(deployment.client, state: "kept") + "&prompt=select_account"))
            #expect(choice.text.contains("Back to <bdi>Partner number 1</bdi>"))
            let back = try await browser.click(choice.page().link(containing: FlowID.cancelPath), on: choice)
            #expect(back.reply.all("location") == [Self.cancelled(deployment.client.callback, state: "kept")])
            #expect(try await browser.get(choice.address).status == 410)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.rows(of: "sso_token") == tokens)
        }
    }

    @Test("a sign-in without a client has no such link")
    func noClient() async throws {
        try await TestDeployment.open { deployment in
            let page = try await deployment.browser().get(deployment.origin + "/sign-in").page()
            #expect(page.link(containing: FlowID.cancelPath) == nil)
        }
    }

    @Test("an unknown flow, one of another browser, and a malformed query end nothing")
    func unknown() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let flow = try #require(form.address.query("flow"))
            let cancel = deployment.origin + FlowID.cancelPath
            for query in ["", "?flow=", "?flow=\(flow)x", "?flow=AAAAAAAAAAAAAAAAAAAAAA"] {
                #expect(try await browser.get(cancel + query).status == 404, "\(query)")
            }
            for query in ["?flow=\(flow)&flow=\(flow)", "?flow[]=\(flow)", "?flow=%FF"] {
                #expect(try await browser.get(cancel + query).status == 400, "\(query)")
            }
            for other in [deployment.browser(), try await deployment.signedIn(as: "eve@example.com")] {
                let visit = try await other.get("\(cancel)?flow=\(flow)")
                #expect(visit.status == 404 && visit.reply.all("location") == [])
            }
            #expect(!deployment.log.contains("sign_in_cancelled"))
            #expect(try await browser.get(form.address).text.contains(deployment.client.name), "it is still pending")
        }
    }

    @Test("a frame, a subresource, a prefetch, a HEAD or a POST ends nothing")
    func hidden() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let target = "\(FlowID.cancelPath)?flow=\(try #require(form.address.query("flow")))"
            let cookies = browser.cookies["localhost", default: [:]].map { "\($0.key)=\($0.value)" }
            let cookie = ("Cookie", cookies.joined(separator: "; "))
            let bare = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            for headers in NavigationTests.hidden {
                let reply = try await bare.get(target, headers + [cookie])
                #expect(reply.status == 400 && reply.all("location") == [], "\(headers)")
            }
            for method in ["HEAD", "POST", "PUT", "OPTIONS"] {
                let reply = try await bare.send(method, target, [cookie])
                #expect(reply.status == 405 && reply.header("allow") == "GET", "\(method)")
            }
            #expect(!deployment.log.contains("sign_in_cancelled"))
            #expect(try await bare.get(target, [cookie]).status == 302)
        }
    }

    @Test("ten minutes later the flow has ended by itself: its page, and no redirect")
    func expired() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            deployment.clock.advance(by: Flows.lifetime)
            let late = try await browser.click(form.page().link(containing: FlowID.cancelPath), on: form)
            #expect(late.status == 410 && late.reply.all("location") == [])
            #expect(late.text.contains(deployment.client.name))
        }
    }

    /// Threats row 15: what the session holds is checked again.
    @Test("a client or redirect URI that was removed meanwhile is not redirected to")
    func removed() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            for change in [("rp.example", "evil.example"), (#""web""#, #""gone""#)] {
                let browser = deployment.browser()
                let form = try await browser.follow(browser.get(WebRelyingParty.authorize(at: deployment.origin)))
                try await deployment.stored.sessions.replace(change.0, with: change.1)
                let flow = form.address.query("flow") ?? ""
                let visit = try await browser.get("\(deployment.origin)\(FlowID.cancelPath)?flow=\(flow)")
                #expect(visit.status == 400 && visit.reply.all("location") == [], "\(change)")
                #expect(!visit.text.contains("evil"))
            }
        }
    }

    @Test("of eight requests at the same instant one goes back")
    func together() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let cancel = try form.address.resolving(#require(form.page().link(containing: FlowID.cancelPath)))
            let visits = try await withThrowingTaskGroup(of: Visit.self) { group in
                for _ in 1...8 {
                    let twin = browser.twin()
                    group.addTask { try await twin.get(cancel) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(visits.count { $0.status == 302 } == 1 && visits.count { $0.status == 410 } == 7)
        }
    }
}
