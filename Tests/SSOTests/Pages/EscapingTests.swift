import Foundation
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// ASVS 1.2.1, WSTG-INPV-01 and 02.
@Suite("User-supplied text is escaped", .program)
struct EscapingTests {
    private static func isClean(_ visit: Visit) throws -> Bool {
        let tags = try visit.page().tags
        return !visit.text.contains("<script src=\"//") && !visit.text.contains("<img")
            && tags.allSatisfy { tag in
                tag.name != "img" && (tag.name != "script" || tag["src"]?.hasPrefix("/assets/") == true)
            }
    }

    @Test("the name of a client, on the sign-in page, the code page, the home page and in the email")
    func serviceName() async throws {
        let settings = [
            "SSO_CLIENT_ID": "evil", "SSO_CLIENT_NAME": String(HostileText.markup.prefix(80)),
            "SSO_REDIRECT_URIS": "https://evil.example/cb", "SSO_SHARED_SECRET": TestSecret.new(),
        ]
        try await TestDeployment.open(settings: settings) { deployment in
            let browser = deployment.browser()
            let query = [
                ("client_id", "evil"), ("redirect_uri", "https://evil.example/cb"), ("state", "s"),
            ]
            let authorize = "\(deployment.origin)\(SSOPath.authorize)?\(FormCoding.encode(query))"
            let form = try await browser.follow(browser.get(authorize))
            #expect(form.text.contains("&lt;/strong&gt;&lt;script"))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            let complete = try await browser.enter(try #require(email.code), on: waiting)
            let secret = try #require(settings["SSO_SHARED_SECRET"])
            let client = TestDeployment.Client(
                id: "evil", name: "", secret: secret, origin: "https://evil.example", port: deployment.port,
                database: deployment.database, build: nil)
            let token = try #require(complete.text.firstMatch(of: #/sst_[\w\-]{43}/#)).0
            #expect(try await deployment.verify(String(token), as: client).status == 200)
            let home = try await browser.get(deployment.origin + "/")
            for page in [form, waiting, complete, home] { #expect(try Self.isClean(page)) }
            #expect(home.text.contains("&lt;/strong&gt;&lt;script"))
            #expect(complete.text.contains("&lt;/strong&gt;&lt;script"))
            deployment.clock.advance(by: .seconds(601))
            #expect(try await Self.isClean(deployment.browser().get(deployment.origin + deployment.mailboxPage)))
        }
    }

    @Test("the name of a user, on the home page and the completion page")
    func personName() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let name = String(HostileText.markup.prefix(80))
            #expect(try await browser.rename(at: deployment, to: name).status == 303)
            let home = try await browser.get(deployment.origin + "/")
            let complete = try await browser.get(deployment.authorize(deployment.client, state: "s"))
            for page in [home, complete] {
                #expect(try Self.isClean(page))
                #expect(page.text.contains("&lt;/strong&gt;&lt;script"))
            }
            #expect(try home.page().form(to: "/name")?["name"] == name, "it can be edited as it was typed")
        }
    }

    @Test("a quotation mark with a combining accent does not end an attribute")
    func combiningAccent() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let name = "a\"\u{301} onfocus=alert(1) autofocus=\"\u{301}"
            #expect(try await browser.rename(at: deployment, to: name).status == 303)
            let home = try await browser.get(deployment.origin + "/")
            let complete = try await browser.get(deployment.authorize(deployment.client, state: "s"))
            for page in [home, complete] {
                let tags = try page.page().tags
                #expect(!tags.contains { tag in tag.attributes.contains { $0.name.contains("onfocus") } })
            }
            let written = "value=\"a&quot;\u{301} onfocus=alert(1) autofocus=&quot;\u{301}\""
            #expect(Data(home.text.utf8).range(of: Data(written.utf8)) != nil)
        }
    }

    @Test("text in a form that is shown again, and the address of an email")
    func typed() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.get(deployment.origin + "/sign-in")
            let again = try await browser.submit(
                form.page().form(with: "email"), on: form, ["email": HostileText.markup])
            #expect(again.status == 422)
            #expect(try Self.isClean(again))
            #expect(try again.page().form(with: "email")?["email"] == HostileText.markup)
            let waiting = try await browser.ask(for: "o'brien&co@example.com", on: form)
            #expect(waiting.status == 200)
            #expect(waiting.text.contains("&amp;co@example.com"))
            #expect(try waiting.page().form(with: "email")?["email"] == "o'brien&co@example.com")
        }
    }

    @Test(
        "text from a URL, on error pages",
        .oneDeployment,
        arguments: ["/", "/auth/sso/complete?flow=", "/sign-in?flow=", "/auth/sso/authorize?client_id="])
    func address(prefix: String) async throws {
        let deployment = try TestDeployment.shared()
        let page = try await deployment.browser().get(
            deployment.origin + prefix + FormCoding.encode(HostileText.markup))
        #expect(try Self.isClean(page))
        // The switch of the language is the page's own address.
        let others = page.text.replacing(#/href="/sign-in\?[^"]*&amp;set_language=de"/#, with: "")
        #expect(!others.contains("evil.example"))
    }
}
