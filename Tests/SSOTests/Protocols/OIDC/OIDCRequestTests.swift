import SSOShared
import Testing

@testable import IdPClients
@testable import IdPFlow
@testable import IdPOIDC
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// What a request brings along to its answer: the `state`, and the language of the pages.
@Suite("OpenID Connect: state and ui_locales", .program)
struct OIDCRequestTests {
    @Test("a request and its payload are the same, also one that an earlier version has stored")
    func payload() throws {
        var request = OIDCRequest(scopes: [.openid, .email], state: "s t", nonce: "n", codeChallenge: "c")
        #expect(request.payload == "openid email\nc\nn\ns t", "as earlier versions write and read it")
        for mode in ResponseMode.allCases {
            for language in [nil, Language.english, .german] {
                (request.mode, request.language) = (mode, language)
                #expect(OIDCRequest(payload: request.payload) == request)
            }
        }
        for text in ["", "openid\n\n\n\nfragment ", "openid\n\n\n\nquery", "openid\n\n\n\n\n"] {
            #expect(OIDCRequest(payload: text) == nil, "\(text)")
        }
    }

    @Test("a state of up to 4 KiB of printable ASCII is carried through the whole sign-in", arguments: [2400, 4096])
    func longState(count: Int) async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = deployment.browser()
            let state = String(repeating: "eyJ_-.09", count: count / 8)
            let form = try await browser.follow(
                browser.get(
                    deployment.oidcRequest(
                        deployment.client, ["state": state, "nonce": String(repeating: "n", count: 512)])))
            let complete = try await deployment.enterCode(form, in: browser, as: "ann@example.com")
            #expect(try TestedProtocol.oidc.callback(complete).query("state") == state)
            let again = try await browser.get(deployment.oidcRequest(deployment.client, ["state": state]))
            #expect(try again.location().query("state") == state)
        }
    }

    @Test("in eight tabs with a state of 2,400 bytes each the newest ones go on, and none of them breaks the session")
    func tabs() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = deployment.browser()
            var last: Visit?
            for number in 0..<8 {
                let state = String(repeating: "\(number)", count: 2400)
                last = try await browser.follow(
                    browser.get(deployment.oidcRequest(deployment.client, ["state": state, "nonce": nil])))
            }
            let complete = try await deployment.enterCode(#require(last), in: browser, as: "ann@example.com")
            let state = try TestedProtocol.oidc.callback(complete).query("state")
            #expect(state == String(repeating: "7", count: 2400))
        }
    }

    @Test("a state that is longer, or not printable ASCII, is refused without it; one that is twice as well")
    func refusedState() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            for state in [String(repeating: "s", count: 4097), "ä", "a\u{1}", "a\n", "\u{7f}"] {
                let callback = try await browser.get(
                    deployment.oidcRequest(deployment.client, ["state": state])
                ).location()
                #expect(callback.query("error") == "invalid_request" && callback.query("state") == nil)
            }
            // Each byte of this one takes three in the address that it comes again with.
            let request = deployment.oidcRequest(deployment.client, ["state": nil])
            let wide = try await browser.get(request + "&state=" + String(repeating: "/", count: 3000)).location()
            #expect(wide.query("error") == "invalid_request")
            #expect(wide.query("state") == String(repeating: "/", count: 3000), "the client can assign the error")
        }
    }

    private static func language(_ visit: Visit) throws -> String? {
        try visit.page().tags.first { $0.name == "html" }?["lang"]
    }

    @Test("the first language of a list that is one of these; a tag stands for its language")
    func firstLanguage() {
        for (tags, language) in [
            ("de", Language.german), ("de-AT", .german), ("DE-at", .german), ("de_DE", .german), ("fr de en", .german),
            ("fr-CA en-GB de", .english), ("  de", .german), ("fr", nil), ("", nil), ("deu", nil), ("*", nil),
            ("d", nil),
            (String(repeating: "fr ", count: 20) + "de", nil),
        ] {
            #expect(Languages.builtIn.first(of: tags) == language, "\(tags)")
        }
    }

    @Test(
        "ui_locales: pages and emails of the sign-in speak it, those of the next request do not",
        arguments: ["de", "fr de-AT"])
    func locales(wanted: String) async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let (browser, client) = (deployment.browser(language: "en"), deployment.client)
            let form = try await browser.follow(browser.get(deployment.oidcRequest(client, ["ui_locales": wanted])))
            #expect(try Self.language(form) == "de")
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            #expect(try Self.language(waiting) == "de")
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            #expect(email.header("content-language") == "de")
            let complete = try await browser.enter(#require(email.code), on: waiting)
            #expect(try Self.language(complete) == "de")
            let other = try #require(complete.page().tags.first { $0["id"] == "other" }?["href"])
            #expect(try await Self.language(browser.follow(browser.get(deployment.origin + other))) == "de")
            let next = try await browser.follow(browser.get(deployment.oidcRequest(client, ["prompt": "login"])))
            #expect(try Self.language(next) == "en")
        }
    }

    @Test("ui_locales: the user's own choice stays first, a page of an error speaks it, too, and so does sign-out")
    func localesElsewhere() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let chosen = deployment.browser(language: "en")
            let form = try await chosen.follow(
                chosen.get(deployment.oidcRequest(deployment.client, ["ui_locales": "de"])))
            let link = try form.page().tags.first { $0.name == "a" && $0["hreflang"] == "en" }?["href"]
            let english = try await chosen.follow(chosen.click(link, on: form))
            #expect(try Self.language(english) == "en")
            let again = try await chosen.follow(
                chosen.get(deployment.oidcRequest(deployment.client, ["ui_locales": "de", "state": "t"])))
            #expect(try Self.language(again) == "en")

            let refused = try await deployment.browser(language: "en").get(
                deployment.oidcRequest(deployment.client, ["ui_locales": "de", "redirect_uri": "https://x.example"]))
            #expect(try refused.status == 400 && Self.language(refused) == "de")

            let leaving = try await deployment.signedIn()
            let asked = try await leaving.follow(
                leaving.get("\(deployment.origin)\(OIDCPath.logout)?ui_locales=fr%20de"))
            #expect(try Self.language(asked) == "de")
        }
    }
}
