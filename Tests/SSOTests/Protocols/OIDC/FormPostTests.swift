import SSOShared
import Testing

@testable import IdPClients
@testable import IdPFlow
@testable import IdPOIDC
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Answers that the browser posts to the client (OAuth 2.0 Form Post Response Mode).
@Suite("OpenID Connect: form_post", .program)
struct FormPostTests {
    private static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// The fields of the one form of a page, which goes to the client, as a browser without a script sends them.
    private static func fields(_ visit: Visit, to action: String) throws -> [String: String] {
        #expect(visit.status == 200 && visit.reply.header("location") == nil)
        let page = try visit.page()
        #expect(page.forms.count == 1 && page.refresh == nil)
        let form = try #require(page.forms.first)
        #expect(form.action == action && form.method == "post" && form.fields.allSatisfy { $0.type == "hidden" })
        #expect(page.tags.count { $0.name == "button" && $0["type"] == "submit" } == 1)
        #expect(
            visit.reply.header("content-security-policy") == policy, "no form-action: the redirects are the client's")
        #expect(visit.reply.header("cache-control") == "no-store")
        #expect(visit.reply.header("referrer-policy") == "no-referrer")
        #expect(visit.reply.header("x-frame-options") == "DENY")
        #expect(page.tags.allSatisfy { $0.name != "script" || $0["src"]?.hasPrefix("/") == true }, "no inline script")
        return Dictionary(form.filled([:])) { _, last in last }
    }

    @Test("after a sign-in the completion page is the form, and its code is redeemed; a query of the address stays")
    func completion() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let (browser, client) = (deployment.browser(), deployment.client)
            let state = "a\"<b>&'%2F+ ="
            let form = try await browser.follow(
                browser.get(deployment.oidcRequest(client, ["response_mode": "form_post", "state": state])))
            let complete = try await deployment.enterCode(form, in: browser, as: "ann@example.com")
            #expect(complete.text.contains("Authentication complete") && complete.text.contains("ann@example.com"))
            let fields = try Self.fields(complete, to: client.callback)
            #expect(Set(fields.keys) == ["code", "state", "iss"])
            #expect(fields["state"] == state && fields["iss"] == deployment.origin)
            #expect(!complete.text.contains("<b>"))
            let code = try #require(fields["code"])
            #expect(try await deployment.oidcToken(code, as: client).status == 200)
            #expect(!deployment.log.text.contains(code))
            // Another account for the same request: it is answered in the same way.
            let other = try #require(complete.page().tags.first { $0["id"] == "other" }?["href"])
            #expect(try WebAddress(deployment.origin + other).query("response_mode") == "form_post")
        }
    }

    @Test("without a question and with prompt=none the answer is a form, too; in German where the browser asks for it")
    func withoutQuestion() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            for prompt in [nil, "none"] {
                let visit = try await browser.get(
                    deployment.oidcRequest(
                        deployment.client, ["response_mode": "form_post", "prompt": prompt, "state": nil]),
                    [("Accept-Language", "de")])
                let fields = try Self.fields(visit, to: deployment.client.callback)
                #expect(Set(fields.keys) == ["code", "iss"] && visit.text.contains("Weiter zu"))
                let code = try #require(fields["code"])
                #expect(try await deployment.oidcToken(code, as: deployment.client).status == 200)
            }
        }
    }

    @Test(
        "errors go by the form where it is asked for, whatever else is wrong with the request",
        arguments: [
            (["prompt": "none"], "login_required"), (["scope": "email"], "invalid_scope"),
            (["response_type": "token"], "unsupported_response_type"), (["max_age": "x"], "invalid_request"),
            (["request": "x"], "request_not_supported"),
            (["request_uri": "https://x.example"], "request_uri_not_supported"),
        ] as [([String: String?], String)])
    func errors(changes: [String: String?], error: String) async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let visit = try await deployment.browser().get(
                deployment.oidcRequest(
                    deployment.client, changes.merging(["response_mode": "form_post"]) { own, _ in own }))
            let fields = try Self.fields(visit, to: deployment.client.callback)
            #expect(fields["error"] == error && fields["state"] == "s" && fields["iss"] == deployment.origin)
            #expect(fields["code"] == nil)
        }
    }

    @Test("a sign-in that the user gives up goes back by the form")
    func cancelled() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = deployment.browser()
            let form = try await browser.follow(
                browser.get(deployment.oidcRequest(deployment.client, ["response_mode": "form_post"])))
            let back = try await browser.click(form.page().link(containing: "/sign-in/cancel"), on: form)
            let fields = try Self.fields(back, to: deployment.client.callback)
            #expect(fields["error"] == "access_denied" && fields["state"] == "s")
        }
    }

    @Test("the page is never in a frame, also with prompt=none, and no grant is issued there")
    func frames() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let before = try await deployment.rows(of: "sso_token")
            for dest in ["iframe", "frame", "image", "empty"] {
                let visit = try await browser.get(
                    deployment.oidcRequest(deployment.client, ["response_mode": "form_post", "prompt": "none"]),
                    [("Sec-Fetch-Dest", dest)])
                #expect(visit.status == 400 && !visit.text.contains("soc_"), "\(dest)")
            }
            #expect(try await deployment.rows(of: "sso_token") == before)
        }
    }

    @Test("any other mode is refused, and so is a form for the scheme of an app: both by the query")
    func refused() async throws {
        try await TestDeployment.open { deployment in
            let addresses: [String: ClientEntry.Value] = [
                "redirect_uris": .list(["https://app.example/cb", "com.example.app:/cb"])
            ]
            try await deployment.add(AddedClient("app"), OIDCSteps.publicApp.merging(addresses) { $1 })
            let browser = try await deployment.signedIn()
            for (mode, address) in [
                ("fragment", "https://app.example/cb"), ("query.jwt", "https://app.example/cb"),
                ("form_post.jwt", "https://app.example/cb"), ("FORM_POST", "https://app.example/cb"),
                ("form_post", "com.example.app:/cb"),
            ] {
                let visit = try await browser.get(
                    deployment.oidcRequest(
                        deployment.client, ["client_id": "app", "response_mode": mode, "redirect_uri": address]))
                let location = try #require(visit.reply.header("location"))
                #expect(visit.status == 302 && location.hasPrefix(address + "?error=invalid_request"), "\(mode)")
                #expect(location.contains("&state=s&"))
            }
        }
    }

    @Test("a form fits http and https, and nothing else")
    func schemes() {
        for (address, fits) in [
            ("https://a.example/cb", true), ("http://127.0.0.1:4100/cb", true), ("com.example.app:/cb", false),
            ("https:cb", false), ("httpsx://a", false), ("javascript:alert(1)", false), ("", false),
        ] {
            #expect(ResponseMode.formPost.fits(address) == fits && ResponseMode.query.fits(address), "\(address)")
        }
    }
}
