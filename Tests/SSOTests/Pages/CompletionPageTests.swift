import Foundation
import SSOShared
import Testing

@testable import TestSupport

@Suite("The completion page")
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
            for words in ["ann@example.com", "Partner number 1", "Authentication complete"] {
                #expect(complete.text.contains(words))
            }
            let callback = try complete.callback()
            #expect(page.links.filter { $0.contains("token=") } == [callback.absolute])
            #expect(page.links.count == 2, "the brand and the continue link")
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
        arguments: [
            #"</script><script>alert(1)</script>"#, #""><img src=x onerror=alert(1)>"#, "'; alert(1); '",
            "a&token=sst_x&b=c",
            "a+b c%20d", "x#y?z=1;2", String(repeating: "~", count: 512), "{{client}}", "url=https://evil.example",
        ])
    func state(state: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let complete = try await browser.get(deployment.authorize(deployment.client, state: state))
            #expect(complete.status == 200)
            let callback = try complete.callback()
            #expect(callback.query("state") == state)
            #expect(callback.target.components(separatedBy: "token=").count == 2)
            #expect(!callback.target.contains { "<>\"'`; ".contains($0) })
            #expect(try complete.page().tags.count { $0.name == "script" } == 1)
            #expect(try await deployment.verify(complete.token(), as: deployment.client).status == 200)
        }
    }

    @Test("a redirect URI that has a query keeps it")
    func query() async throws {
        let settings = [
            "SSO_CLIENT_ID": "with-query", "SSO_REDIRECT_URIS": "https://rp.example/cb?tenant=a%20b&lang=en",
            "SSO_SHARED_SECRET": ProcessDeployment.secret(),
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
            let alive = "SELECT COUNT(*) FROM sso_token WHERE used_at IS NULL AND voided_at IS NULL"
            #expect(
                try await deployment.count(
                    alive + " AND state_digest = (SELECT state_digest FROM sso_token ORDER BY rowid DESC)") == 1)
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
            #expect(try again.page().refresh == nil)
            #expect(try again.page().tags.allSatisfy { $0.name != "script" })
            #expect(again.reply.header("refresh") == nil)
        }
    }
}
