import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPFlow
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// `IDP_MAIL_URL=none`: users sign in by passkeys and providers, and no page offers an email.
@Suite("Without mail", .program)
struct WithoutMailTests {
    private static let settings = ["IDP_MAIL_URL": "none"]

    /// Whether a page has a field or a link that leads to an email.
    private static func offersEmail(_ page: Visit) throws -> Bool {
        let tags = try page.page().tags
        return tags.contains { tag in
            let isField = tag["name"] == "email" || tag["name"] == "code"
            let target = tag["href"] ?? tag["action"] ?? ""
            return isField || ["/sign-in/code", "/sign-in/link", "/sign-in/reply"].contains { target.hasPrefix($0) }
        }
    }

    @Test("a printed link is the first sign-in and leads to a passkey, which is the way in from then on")
    func first() async throws {
        try await TestDeployment.open(settings: Self.settings) { deployment in
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(deployment.printLink(for: "ann@example.com")))
            let add = try await browser.follow(browser.submit(page.page().form(to: "/sign-in/operator"), on: page))
            #expect(add.address.path == "/passkeys/add", "\(add.text)")
            let authenticator = SoftwareAuthenticator()
            #expect(try await browser.addPasskey(authenticator, on: add).status == 303)

            let other = deployment.browser()
            let complete = try await other.follow(
                other.usePasskey(
                    authenticator, on: other.follow(other.get(deployment.authorize(deployment.client, state: "s")))))
            #expect(try await deployment.redeem(complete, as: deployment.client).methods == ["passkey"])
            // What users are told by email is not kept for a mail server that may come.
            #expect(try await deployment.rows(of: "mail_queue") == 0)
        }
    }

    @Test("no page that a visitor or a user can open has a field or a link for an email")
    func pages() async throws {
        try await TestDeployment.open(settings: ProgramPaths.everyPasskeyFeature) { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let user = deployment.browser()
            _ = try await user.usePasskey(authenticator, on: deployment.signInPage(user))
            let app = deployment.browser(userAgent: Browser.shellUserAgent)
            let paths = try await ProgramPaths.declared().routes.map(\.path).filter { !$0.contains("/assets/") }
            var seen = 0
            for path in paths where !path.hasPrefix("/dev/") {
                let example = path.replacing(#/:[a-z]+/#, with: "a-b_C.1").replacing(#/\{[a-z]+\}/#, with: "a-b_C.1")
                for browser in [deployment.browser(), user, app] {
                    let page = try await browser.get(deployment.origin + example)
                    guard page.status == 200, page.reply.header("content-type")?.hasPrefix("text/html") == true else {
                        continue
                    }
                    seen += 1
                    #expect(try !Self.offersEmail(page), "\(example)")
                }
            }
            #expect(seen > 8, "\(seen)")
        }
    }

    @Test(
        "the sign-in page offers what is left, and says what a browser without passkeys needs", arguments: ["en", "de"])
    func signInPage(language: String) async throws {
        try await TestDeployment.open(settings: Self.settings) { deployment in
            let page = try await deployment.signInPage(deployment.browser(language: language))
            #expect(try page.page().form(with: "passkey") != nil)
            let tags = try page.page().tags
            #expect(tags.contains { $0["data-no-passkey"] != nil }, "\(page.text)")
            let again = language == "en" ? "Try again.</p>" : "Versuchen Sie es noch einmal.</p>"
            #expect(page.text.contains(again), "there is no other way: \(page.text)")
            let browser = deployment.browser()
            let stale = try await browser.post(
                WebAddress(deployment.origin + "/sign-in"),
                [("form_token", deployment.signInPage(browser).formToken()), ("email", "ann@example.com")])
            #expect(stale.status == 303)
            #expect(try stale.location().path == "/sign-in")
            #expect(try await deployment.rows(of: "challenge") == 0)
        }
    }

    @Test("the API says that its codes are off, and where a user signs in")
    func api() async throws {
        try await TestDeployment.open(settings: Self.settings) { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            for (path, body) in [
                ("/api/v1/sign-in", #"{"email":"ann@example.com"}"#),
                ("/api/v1/sign-in/code", #"{"challenge":"x","code":"000000"}"#),
            ] {
                let reply = try await probe.post(path, [("Content-Type", "application/json")], body: Array(body.utf8))
                #expect(reply.status == 403 && reply.text.contains(#""error":"email_off""#), "\(reply.text)")
                #expect(reply.text.contains("/auth/native/passkey"))
            }
        }
    }

    @Test(
        "the link of an earlier invitation says that no email is sent, and what to ask for",
        arguments: [("en", "no emails are sent"), ("de", "keine E\u{2011}Mails versendet")])
    func invitation(language: String, words: String) async throws {
        try await TestDeployment.open(settings: Self.settings) { deployment in
            let browser = deployment.browser(language: language)
            let page = try await browser.follow(browser.get(deployment.origin + "/invitation/a-b_C.1"))
            #expect(page.status == 410 && page.text.contains(words), "\(page.text)")
        }
    }

    @Test("a provider opens what it vouches for, and never an account whose address only an email would prove")
    func providers() async throws {
        try await ProviderDeployment.open([.oidc], settings: Self.settings) { place in
            try place.standIn(.oidc).user.email = "ben@example.com"
            let opened = try await place.signIn(.oidc, in: place.deployment.browser())
            #expect(try await place.deployment.redeem(opened, as: place.client).email == "ben@example.com")
        }
        try await ProviderDeployment.open([.oidc], owning: [], settings: Self.settings) { place in
            _ = try await place.deployment.givePasskey(to: "ann@example.com")
            try place.standIn(.oidc).user.email = "ann@example.com"
            let refused = try await place.signIn(.oidc, in: place.deployment.browser())
            #expect(refused.status == 403 && place.refusals("address_not_proven") == 1, "\(refused.text)")
            #expect(try !Self.offersEmail(refused))
        }
    }
}
