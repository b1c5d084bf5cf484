import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A proxy that sends `Referrer-Policy: no-referrer` makes browsers send `Origin: null` with our own forms.
@Suite("Forms whose origin a proxy hides", .program)
struct HiddenOriginTests {
    private static let hidden: HTTPProbe.Headers = [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")]

    /// Submits a form of a page as a browser does that names its sender by these headers alone.
    private static func submit(
        _ form: ScannedForm?, on visit: Visit, _ values: [String: String] = [:], by browser: Browser,
        _ sender: HTTPProbe.Headers
    ) async throws -> Visit {
        let form = try #require(form)
        return try await browser.send(
            "POST", visit.address.resolving(form.action),
            [("Content-Type", "application/x-www-form-urlencoded")] + sender,
            body: Array(FormCoding.encode(form.filled(values)).utf8))
    }

    @Test("are accepted by both programs when the browser says that the page is ours")
    func accepted() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let asked = try await Self.submit(
                form.page().form(with: "email"), on: form, ["email": "ann@example.com"], by: browser, Self.hidden)
            #expect(asked.status == 303)
            let waiting = try await browser.follow(asked)
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let complete = try await browser.follow(
                Self.submit(waiting.page().form(with: "code"), on: waiting, ["code": code], by: browser, Self.hidden))
            _ = try await browser.follow(browser.get(complete.callback()))
            #expect(try await browser.isSignedIn(at: deployment.client))
            let own = try await browser.get(deployment.origin + "/")
            let named = try await Self.submit(
                own.page().form(to: "/name"), on: own, ["name": "Ann Lee"], by: browser, Self.hidden)
            #expect(named.status == 303)
            #expect(try await browser.get(deployment.origin + "/").text.contains("value=\"Ann Lee\""))
            let home = try await browser.get(deployment.client.origin + "/")
            let left = try await Self.submit(
                home.page().form(to: "/sign-out"), on: home, by: browser, Self.hidden)
            #expect(left.status == 303)
            #expect(try await !browser.isSignedIn(at: deployment.client))
            #expect(!deployment.log.contains("request_refused"))
        }
    }

    @Test("the API accepts them too, and still refuses a frame in a sandbox")
    func interface() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            #expect(try await app.send("GET", "/session", headers: Self.hidden).status == 200)
            let frame = [("Origin", "null"), ("Sec-Fetch-Site", "cross-site")]
            #expect(try await app.send("GET", "/session", headers: frame).status == 403)
            let old = try await app.send("GET", "/session", headers: [("Origin", "null")])
            #expect(old.status == 403 && old.apiError == "cross_site" && old.text.contains("Referrer-Policy"))
            #expect(deployment.log.contains("origin_null_referrer_policy"))
        }
    }

    @Test(
        "what the browser says about a refused form is on the page and in the log",
        arguments: [
            ([("Origin", "null")], "origin_null_referrer_policy", "Referrer-Policy: no-referrer"),
            ([("Origin", "https://localhost:4000")], "form_of_other_address", "http://localhost:4000"),
            ([("Origin", "null"), ("Sec-Fetch-Site", "cross-site")], "form_of_other_site", "http://localhost:4000"),
        ] as [(HTTPProbe.Headers, String, String)])
    func causes(sender: HTTPProbe.Headers, cause: String, words: String) async throws {
        try await TestDeployment.open { deployment in
            for language in ["en", "de"] {
                let browser = deployment.browser()
                let form = try await browser.get(deployment.origin + "/sign-in")
                let token = try form.formToken()
                let headers =
                    [
                        ("Content-Type", "application/x-www-form-urlencoded"), ("Accept-Language", language),
                        ("Cookie", "idp_session=\(try #require(browser.session))"),
                    ] + sender
                let body = FormCoding.encode([("form_token", token), ("email", "ann@example.com")])
                let reply = try await deployment.probe().post("/sign-in", headers, body: Array(body.utf8))
                #expect(reply.status == 403)
                #expect(reply.text.contains(words), "\(reply.text)")
                #expect(reply.text.contains("lang=\"\(language)\""))
            }
            #expect(deployment.log.contains(cause))
            #expect(!deployment.log.contains("form_token_of_other_session"))
        }
    }
}
