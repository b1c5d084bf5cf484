import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// No weaker way adds or removes a stronger one.
@Suite("Who may change passkeys", .program)
struct PasskeyRuleTests {
    @Test("a visitor, half a sign-in and a sign-in of eleven minutes ago come to the sign-in page, and add nothing")
    func enrolment() async throws {
        try await TestDeployment.open(adding: PinFactor.added) { deployment in
            let visitor = deployment.browser()
            #expect(try await deployment.passkeyPage(visitor).address.path == "/sign-in")

            let half = try await deployment.asking()
            let second = try await half.browser.follow(half.guess(half.code))
            #expect(second.address.path == PinFactor.pagePath)
            let asked = try await deployment.passkeyPage(half.browser)
            #expect(asked.address.path == "/sign-in", "\(asked.address)")
            let forged = try await half.browser.post(
                WebAddress(deployment.origin + "/passkeys/add"), [("form_token", asked.formToken()), ("passkey", "{}")])
            #expect(forged.status == 303)

            let page = try await half.browser.get(second.address)
            _ = try await half.browser.follow(half.browser.typePin(on: page))
            let open = try await deployment.passkeyPage(half.browser)
            #expect(open.address.path == "/passkeys/add", "\(open.text)")
            deployment.clock.advance(by: .minutes(9))
            let other = try await deployment.passkeyPage(half.browser)
            deployment.clock.advance(by: .minutes(2))
            let late = try await half.browser.addPasskey(SoftwareAuthenticator(), on: other)
            #expect(late.reply.all("location") == ["/passkeys/sign-in?add"])
            #expect(try await deployment.passkeyPage(half.browser).address.path == "/sign-in")
            #expect(try await deployment.rows(of: "passkey") == 0)
        }
    }

    @Test("beside a passkey a sign-in by email adds, renames and removes nothing, and the passkey does")
    func strength() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let byEmail = try await deployment.signedIn(as: "ann@example.com")
            let list = try await byEmail.get(deployment.origin + "/passkeys")
            for path in ["/passkeys/rename", "/passkeys/remove"] {
                let asked = try await byEmail.follow(
                    byEmail.submit(list.page().form(to: path), on: list, ["name": "Mine"]))
                #expect(asked.address.path == "/sign-in", "\(path)")
                #expect(try asked.page().form(with: "email") == nil, "an email would not do")
            }
            let add = try await deployment.passkeyPage(byEmail)
            #expect(add.address.path == "/sign-in")
            #expect(try await deployment.stored.passkeys.named("Test").count() == 1)

            let page = try await byEmail.follow(byEmail.usePasskey(authenticator, on: add))
            #expect(page.address.path == "/passkeys/add")
            #expect(try await byEmail.addPasskey(SoftwareAuthenticator(), on: page).status == 303)
            #expect(try await deployment.rows(of: "passkey") == 2)
        }
    }

    @Test("a name that cannot be used is shown again in its form, whatever the age of the sign-in")
    func wrongName() async throws {
        try await TestDeployment.open { deployment in
            let (browser, list) = try await deployment.passkeyList(as: "ann@example.com")
            let form = try #require(try list.page().form(to: "/passkeys/rename"))
            for name in ["   ", "a\u{202e}b", String(repeating: "n", count: 61)] {
                deployment.clock.advance(by: .minutes(6))
                let again = try await browser.submit(form, on: list, ["name": name])
                #expect(again.status == 422 && again.text.contains("1 to 60 visible characters"), "\(again.text)")
                #expect(try again.page().form(to: "/passkeys/rename")?["name"] == name)
                #expect(again.text.contains("<details class=\"ask\" open>"))
            }
            #expect(try await deployment.stored.passkeys.named("Test").count() == 1)
        }
    }

    @Test("a passkey of another user is neither renamed nor removed by its id")
    func others() async throws {
        try await TestDeployment.open { deployment in
            let (ann, _) = try await deployment.passkeyList(as: "ann@example.com")
            let (ben, list) = try await deployment.passkeyList(as: "ben@example.com")
            let own = try #require(try list.page().form(to: "/passkeys/remove")?["passkey"])
            let page = try await ann.get(deployment.origin + "/passkeys")
            for path in ["/passkeys/rename", "/passkeys/remove"] {
                let form = try #require(try page.page().form(to: path))
                let sent = try await ann.submit(form, on: page, ["passkey": own, "name": "Eve"])
                #expect(sent.status == 303)
            }
            #expect(try await deployment.stored.passkeys.named("Test").count() == 2)
            #expect(try await ben.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a credential is registered once, whatever account asks, and the 21st passkey is refused")
    func uniqueness() async throws {
        try await TestDeployment.open { deployment in
            let first = SoftwareAuthenticator()
            _ = try await deployment.passkeyOwner(first)
            let ben = try await deployment.signedIn(as: "ben@example.com")
            let page = try await deployment.passkeyPage(ben)
            var draft = try SoftwareAuthenticator().registration(page.passkeyOptions(), at: deployment.origin)
            draft.data.credentialID = first.credentials[0].id
            let again = try await ben.sendPasskey(String(decoding: draft.passkey().json, as: UTF8.self), on: page)
            #expect(again.status == 422 && again.text.contains("belongs to an account already"))
            #expect(deployment.events("passkey_rejected", reason: "already_registered") == 1)

            for _ in 1...19 { _ = try await deployment.givePasskey(to: "cem@example.com") }
            let (cem, list) = try await deployment.passkeyList(as: "cem@example.com")
            #expect(try list.page().link(containing: "/passkeys/add") == nil)
            #expect(try await deployment.passkeyPage(cem).address.path == "/passkeys")
        }
    }

    @Test("the last way to sign in stays, and a removed passkey signs nobody in")
    func removal() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            try await deployment.stored.identities.emails.delete()
            let browser = deployment.browser()
            _ = try await browser.usePasskey(authenticator, on: deployment.signInPage(browser))
            let list = try await browser.get(deployment.origin + "/passkeys")
            #expect(try list.page().form(to: "/passkeys/remove") == nil)
            let id = try #require(try list.page().form(to: "/passkeys/rename")?["passkey"])
            let forged = try await browser.post(
                WebAddress(deployment.origin + "/passkeys/remove"), [("form_token", list.formToken()), ("passkey", id)])
            #expect(forged.status == 409)
            #expect(try await deployment.rows(of: "passkey") == 1)
        }
    }

    @Test("the first proof of a mailbox ends the passkeys that were set up before it, and tells the owner")
    func prepared() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            // As in an account that a provider's word has made.
            try await deployment.stored.identities.emails.delete()
            let thief = deployment.browser()
            #expect(try await thief.usePasskey(authenticator, on: deployment.signInPage(thief)).status == 303)
            _ = try await deployment.signedIn(as: "ann@example.com")
            #expect(try await deployment.rows(of: "passkey") == 0)
            #expect(try await !thief.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.stored.notices.about("passkeys_revoked").count() == 1)
            #expect(
                try await thief.usePasskey(authenticator, on: deployment.signInPage(thief)).status == 422)
        }
    }

    @Test("check and the page of settings show no domain where the pages have an IP address, which has no passkeys")
    func domain() {
        for (url, shown) in [("http://127.0.0.1:8080", "none"), ("https://idp.example.com", "idp.example.com")] {
            let reader = SettingsFixture.read(.idp, ["IDP_PUBLIC_URL": url])
            #expect(reader.lines.filter { $0.name == "IDP_PASSKEY_RP_ID" }.map(\.shown) == [shown], "\(url)")
        }
    }
}
