import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A passkey from its page to a sign-in.
@Suite("Passkeys", .program)
struct PasskeySignInTests {
    @Test(
        "a user adds a passkey, and signs in with it in a browser that was never seen, without an email",
        arguments: [SoftwareAuthenticator.Traits.synced, .hardware])
    func whole(traits: SoftwareAuthenticator.Traits) async throws {
        try await TestDeployment.open { deployment in
            let authenticator = SoftwareAuthenticator(traits)
            let owner = try await deployment.passkeyOwner(authenticator)
            let list = try await owner.get(deployment.origin + "/passkeys?added")
            #expect(list.status == 200 && list.text.contains("Your passkey was added"), "\(list.text)")
            #expect(list.text.contains(traits.isBackupEligible ? "Synced" : "One device only"))

            try await deployment.forgetEmails(to: "ann@example.com")
            let queued = try await deployment.rows(of: "mail_queue")
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "kept")))
            let before = browser.session
            let complete = try await browser.follow(browser.usePasskey(authenticator, on: page))
            #expect(browser.session != before, "a new session at every step up")
            let redeemed = try await deployment.redeem(complete, as: deployment.client)
            #expect(redeemed.email == "ann@example.com" && redeemed.methods == ["passkey"])
            #expect(try JSONDecoding.value(redeemed.reply.body)["session"]?["acr"]?.text == "phr")
            #expect(browser.device != nil, "the browser is known from now on")
            // Of the notice alone.
            #expect(try await deployment.rows(of: "mail_queue") == queued + 1)
        }
    }

    @Test("the page renews its options, and the older ones still work until four newer ones exist")
    func renewal() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = SoftwareAuthenticator()
            _ = try await deployment.passkeyOwner(authenticator)
            let browser = deployment.browser()
            let page = try await deployment.signInPage(browser)
            let renewed = try await browser.renewPasskeyOptions(on: page)
            #expect(renewed.status == 200 && renewed.reply.header("content-type") == "application/json")
            #expect(try renewed.text != page.passkeyOptions())
            let answer = try authenticator.get(renewed.text, at: deployment.origin)
            #expect(try await browser.sendPasskey(answer, on: page).status == 303)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))

            let other = deployment.browser()
            let old = try await deployment.signInPage(other)
            for _ in 0..<4 { _ = try await other.renewPasskeyOptions(on: old) }
            let late = try await other.usePasskey(authenticator, on: old)
            #expect(late.status == 422)
            #expect(try await other.usePasskey(authenticator, on: late).status == 303, "one more touch")
        }
    }

    @Test("new options need the token of the page, from the page, and at most sixty in a minute")
    func optionsAttacks() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let page = try await deployment.signInPage(browser)
            let token = try #require(try page.page().form(with: "passkey")?["form_token"])
            let address = try page.address.resolving("/sign-in/passkey/options")
            let rows: [[(String, String)]] = [
                [], [("X-CSRF-Token", "")], [("X-CSRF-Token", token + "A")],
                [("X-CSRF-Token", token), ("X-CSRF-Token", token)],
                [("X-CSRF-Token", token), ("Sec-Fetch-Site", "cross-site")],
                [("X-CSRF-Token", token), ("Origin", "https://evil.example")],
            ]
            for row in rows {
                #expect(try await browser.send("POST", address, row, body: []).status == 403, "\(row)")
            }
            let visitor = deployment.browser()
            #expect(try await visitor.send("POST", address, [("X-CSRF-Token", token)], body: []).status == 403)
            for _ in 0..<60 { #expect(try await browser.renewPasskeyOptions(on: page).status == 200) }
            let over = try await browser.renewPasskeyOptions(on: page)
            #expect(over.status == 429 && over.reply.header("retry-after") != nil)
            #expect(over.text.contains("from this browser") && !over.text.contains("network"), "\(over.text)")
        }
    }

    @Test("after twenty answers in a minute a session is refused before its answer is read, and gets in later")
    func garbage() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = SoftwareAuthenticator()
            _ = try await deployment.passkeyOwner(authenticator)
            let browser = deployment.browser()
            var page = try await deployment.signInPage(browser)
            for _ in 0..<20 {
                page = try await browser.submit(page.page().form(with: "passkey"), on: page, ["passkey": "{\"id\":"])
                #expect(page.status == 422)
            }
            let over = try await browser.usePasskey(authenticator, on: page)
            #expect(over.status == 429 && over.reply.header("retry-after") != nil)
            #expect(over.text.contains("from this browser") && !over.text.contains("network"), "\(over.text)")
            deployment.clock.advance(by: .minutes(2))
            let later = try await deployment.signInPage(browser)
            #expect(try await browser.usePasskey(authenticator, on: later).status == 303)
        }
    }

    @Test("the user is told of each change, and the audit log has it")
    func told() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = SoftwareAuthenticator()
            let browser = try await deployment.passkeyOwner(authenticator)
            let list = try await browser.get(deployment.origin + "/passkeys")
            // A sign-in by email does not do any more.
            let asked = try await browser.submit(
                list.page().form(to: "/passkeys/rename"), on: list, ["name": "My phone"])
            let signIn = try await browser.follow(asked)
            #expect(signIn.address.path == "/sign-in")
            let confirm = try await browser.follow(browser.usePasskey(authenticator, on: signIn))
            #expect(confirm.address.path == "/identities/confirm", "\(confirm.text)")
            let renamed = try await browser.follow(browser.confirm(on: confirm))
            #expect(renamed.text.contains("My phone"), "\(renamed.text)")

            let removed = try await browser.follow(
                browser.submit(renamed.page().form(to: "/passkeys/remove"), on: renamed))
            #expect(removed.text.contains("You have no passkey yet"), "\(removed.text)")
            #expect(try await deployment.rows(of: "passkey") == 0)
            #expect(try await deployment.stored.identities.ofKind("passkey").count() == 0)
            for kind in ["passkey_added", "passkey_renamed", "passkey_removed"] {
                #expect(try await deployment.stored.audit.of(kind).count() == 1, "\(kind)")
                #expect(try await deployment.stored.notices.about(kind).count() == 1, "\(kind)")
            }
            let again = deployment.browser()
            let refused = try await again.usePasskey(authenticator, on: deployment.signInPage(again))
            #expect(refused.status == 422 && refused.text.contains("not registered here any more"))
        }
    }
}
