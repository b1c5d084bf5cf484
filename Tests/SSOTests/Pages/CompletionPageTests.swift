import Foundation
import ProbeKit
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The completion page", .program)
struct CompletionPageTests {
    @Test(
        "it names the user and the client, has one link to it, and continues after two seconds with and without JavaScript"
    )
    func facts() async throws {
        try await TestDeployment.open { deployment in
            let complete = try await deployment.browser().signIn(
                at: deployment.client, of: deployment, as: "ann@example.com")
            let page = try complete.page()
            #expect(complete.status == 200)
            for words in ["ann@example.com", "Partner number 1", "Authentication complete", "You&#39;re signed in"] {
                #expect(complete.text.contains(words))
            }
            let callback = try complete.callback()
            #expect(page.links.filter { $0.contains("token=") } == [callback.absolute])
            #expect(page.links.count == 3, "the brand, the continue link and another account")
            #expect(page.link(containing: "prompt=select_account")?.hasPrefix(SSOPath.authorize + "?") == true)
            #expect(page.refresh?.seconds == 2)
            #expect(page.refresh?.target == callback.absolute)
            let noscript = try #require(page.tags.firstIndex { $0.name == "noscript" })
            #expect(
                page.tags[noscript + 1]["http-equiv"] == "refresh", "with JavaScript on, the script does it instead")
            #expect(page.tags.count { $0.name == "script" } == 1)
            #expect(callback.absolute.hasPrefix(deployment.client.callback + "?token=sst_"))
            #expect(page.forms.isEmpty)
        }
    }

    @Test(
        "the state is returned unchanged, whatever characters it has",
        .oneDeployment,
        arguments: [
            #"</script><script>alert(1)</script>"#, #""><img src=x onerror=alert(1)>"#, "'; alert(1); '",
            "a&token=sst_x&b=c",
            "a+b c%20d", "x#y?z=1;2", String(repeating: "~", count: 512), "{{client}}", "url=https://evil.example",
        ])
    func state(state: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = try await deployment.signedIn(as: deployment.newAddress())
        let complete = try await browser.get(deployment.authorize(deployment.client, state: state))
        #expect(complete.status == 200)
        let callback = try complete.callback()
        #expect(callback.query("state") == state)
        #expect(callback.target.components(separatedBy: "token=").count == 2)
        #expect(!callback.target.contains { "<>\"'`; ".contains($0) })
        #expect(try complete.page().tags.count { $0.name == "script" } == 1)
        #expect(try await deployment.verify(complete.token(), as: deployment.client).status == 200)
    }

    @Test("a redirect URI that has a query keeps it")
    func query() async throws {
        let settings = [
            "SSO_CLIENT_ID": "with-query", "SSO_REDIRECT_URIS": "https://rp.example/cb?tenant=a%20b&lang=en",
            "SSO_SHARED_SECRET": TestSecret.new(),
        ]
        try await TestDeployment.open(settings: settings) { deployment in
            let browser = try await deployment.signedIn()
            let query = [
                ("client_id", "with-query"), ("redirect_uri", "https://rp.example/cb?tenant=a%20b&lang=en"),
                ("state", "s"),
            ]
            let complete = try await browser.get("\(deployment.origin)\(SSOPath.authorize)?\(FormCoding.encode(query))")
            let link = try #require(try complete.page().link(containing: "token="))
            #expect(link.hasPrefix("https://rp.example/cb?tenant=a%20b&lang=en&token=sst_"))
            #expect(link.hasSuffix("&state=s"))
        }
    }

    @Test("reloading it leaves one valid token for the flow: the newest")
    func reload() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            var tokens: [String] = []
            for _ in 0..<5 {
                tokens.append(try await browser.token(for: deployment.client, of: deployment, state: "one-flow"))
            }
            #expect(Set(tokens).count == 5)
            #expect(try await deployment.stored.grants.open.ofNewestFlow.count() == 1)
            for old in tokens.dropLast() {
                #expect(try await deployment.verify(old, as: deployment.client).status == 401)
            }
            #expect(try await deployment.verify(tokens[4], as: deployment.client).status == 200)
        }
    }

    @Test("returning to it after the token was redeemed, it does not continue")
    func back() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let complete = try await browser.get(deployment.authorize(deployment.client, state: "one-flow"))
            #expect(try await deployment.verify(complete.token(), as: deployment.client).status == 200)
            let again = try await browser.get(complete.address)
            #expect(again.status == 200)
            #expect(
                again.text.contains(
                    "You have already continued to <span class=\"unit\"><bdi>Partner number 1</bdi>.</span>"))
            #expect(try again.page().refresh == nil)
            #expect(try again.page().tags.allSatisfy { $0.name != "script" })
            #expect(again.reply.header("refresh") == nil)
        }
    }

    /// After how many seconds the page goes on, without and with JavaScript, and whether it shows a progress bar.
    private static func pace(_ visit: Visit) throws -> [String?] {
        let page = try visit.page()
        return [
            page.refresh.map { "\($0.seconds)" }, page.tags.first { $0["id"] == "continue" }?["data-delay"],
            page.tags.contains { $0["class"] == "progress" } ? "bar" : nil,
        ]
    }

    @Test("after a sign-in it waits two seconds; a user who was signed in already goes on at once")
    func paces() async throws {
        try await TestDeployment.open(clients: 2, settings: WebRelyingParty.settings) { deployment in
            let browser = deployment.browser()
            let form = try await browser.follow(browser.get(WebRelyingParty.authorize(at: deployment.origin)))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            let complete = try await browser.enter(deployment.mailbox.code(to: "ann@example.com"), on: waiting)
            #expect(try Self.pace(complete) == ["2", "2", "bar"])
            #expect(try await Self.pace(browser.get(complete.address)) == ["2", "2", "bar"], "a reload")

            // Nothing was asked for these: another client, another state, another redirect URI.
            let others = [
                deployment.authorize(deployment.client, state: "s"),
                WebRelyingParty.authorize(at: deployment.origin, state: "other"),
                WebRelyingParty.authorize(at: deployment.origin, redirect: WebRelyingParty.secondURI),
            ]
            for other in others {
                let visit = try await browser.get(other)
                #expect(try Self.pace(visit) == ["0", "0", nil], "\(other)")
                #expect(try visit.page().refresh?.target == visit.page().link(containing: "token="))
            }
            let visit = try await browser.get(others[0])
            #expect(try await deployment.verify(visit.token(), as: deployment.client).status == 200)
            #expect(try await Self.pace(browser.get(others[0])) == [nil, nil, nil], "after Back")
        }
    }

    @Test("two tabs at once: each page waits if its own flow needed the sign-in")
    func tabs() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = deployment.browser()
            let first = try await browser.beginSignIn(at: deployment.clients[0])
            let second = try await browser.signIn(at: deployment.clients[1], of: deployment, as: "ann@example.com")
            let late = try await browser.follow(browser.get(first.address))
            #expect(try Self.pace(second) == ["2", "2", "bar"] && Self.pace(late) == ["2", "2", "bar"])
            #expect(try await Self.pace(browser.beginSignIn(at: deployment.clients[0])) == ["0", "0", nil])
        }
    }

    @Test("it is in the language of the browser, with names apart from the text around them")
    func german() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let address = deployment.authorize(deployment.client, state: "s")
            let visit = try await browser.get(address, [("Accept-Language", "de")])
            for words in [
                "<html lang=\"de\">", "<title>Anmeldung abgeschlossen · Main App</title>", "Sie sind angemeldet",
                "Angemeldet als <span class=\"unit\"><bdi translate=\"no\">ann@example.com</bdi>.</span>",
                "Weiter zu <bdi>Partner number 1</bdi>", "Anderes Konto verwenden",
            ] {
                #expect(visit.text.contains(words), "\(words)")
            }
            #expect(try visit.token().hasPrefix("sst_"))
        }
    }
}
