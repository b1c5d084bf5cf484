import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The rows of docs/losses.md: what is lost, and the way back into the account. None is weaker than what was there before.
@Suite("What users and operators lose", .program)
struct LossTests {
    static let ann = "ann@example.com"

    struct Silent: AccountChangeReporter {
        func report(
            _ change: AccountChange, of account: Account, by origin: ChangeOrigin, _ connection: any SQLConnection
        ) throws {}
    }

    /// The methods of the sign-in that a client learns of.
    static func methods(_ browser: Browser, of deployment: TestDeployment) async throws -> [String] {
        let complete = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "loss")))
        let redeemed = try await deployment.redeem(complete, as: deployment.client)
        #expect(redeemed.email == ann)
        return redeemed.methods.compactMap(\.self)
    }

    /// A browser that was never seen, after a sign-in with a passkey.
    static func enter(
        _ authenticator: SoftwareAuthenticator, of deployment: TestDeployment, status: Int = 303
    ) async throws -> Browser {
        let browser = deployment.browser()
        #expect(try await browser.usePasskey(authenticator, on: deployment.signInPage(browser)).status == status)
        return browser
    }

    /// Removes a passkey, as the command does.
    static func removeOne(of deployment: TestDeployment) async throws {
        let id = try await deployment.stored.passkeys.ids()[0]
        #expect(try await deployment.isChanged(by: RemovePasskey(id, of: ann, reporting: Silent())))
    }

    @Test("the phone with the only passkey: an email signs in, as it always did, and changes no passkey")
    func phone() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.givePasskey(to: Self.ann)
            let browser = try await deployment.signedIn(as: Self.ann)
            #expect(try await Self.methods(browser, of: deployment) == ["email_code"])
            #expect(try await deployment.passkeyPage(browser).address.path == "/sign-in")
        }
    }

    @Test("the phone, whose passkeys are synced: the new phone has them")
    func syncedPhone() async throws {
        try await TestDeployment.open { deployment in
            let phone = try await deployment.givePasskey(to: Self.ann)
            let next = SoftwareAuthenticator(.synced, holding: phone.credentials)
            let browser = try await Self.enter(next, of: deployment)
            #expect(try await Self.methods(browser, of: deployment) == ["passkey"])
        }
    }

    @Test("the phone, beside a security key: the key signs in and removes what the phone had")
    func phoneBesideKey() async throws {
        try await TestDeployment.open { deployment in
            let phone = try await deployment.givePasskey(to: Self.ann)
            let key = try await deployment.givePasskey(to: Self.ann)
            let browser = try await Self.enter(key, of: deployment)
            let list = try await browser.get(deployment.origin + "/passkeys")
            let removed = try await browser.follow(
                browser.submit(list.page().form(to: "/passkeys/remove"), on: list))
            #expect(removed.status == 200)
            #expect(try await deployment.rows(of: "passkey") == 1)
            let isPhoneGone =
                try await deployment.browser().usePasskey(
                    phone, on: deployment.signInPage(deployment.browser())
                ).status != 303
            #expect(isPhoneGone)
        }
    }

    @Test("phone and key: an email signs in, and after one command a new passkey is added")
    func phoneAndKey() async throws {
        try await TestDeployment.open { deployment in
            for _ in 1...2 { _ = try await deployment.givePasskey(to: Self.ann) }
            let locked = try await deployment.signedIn(as: Self.ann)
            #expect(
                try await deployment.passkeyPage(locked).address.path == "/sign-in", "an email adds none beside them")
            for _ in 1...2 { try await Self.removeOne(of: deployment) }
            try await deployment.forgetEmails(to: Self.ann)
            let browser = try await deployment.signedIn(as: Self.ann)
            let page = try await deployment.passkeyPage(browser)
            #expect(try await browser.addPasskey(SoftwareAuthenticator(), on: page).status == 303)
        }
    }

    @Test("every passkey, where a service demands one: one command, an email, and a new passkey reach it")
    func everyPasskeyWhereDemanded() async throws {
        try await TestDeployment.open(settings: ["IDP_REQUIRE": "phr"]) { deployment in
            _ = try await deployment.givePasskey(to: Self.ann)
            try await Self.removeOne(of: deployment)
            let browser = deployment.browser()
            _ = try await deployment.enterCode(deployment.signInPage(browser), in: browser, as: Self.ann)
            let page = try await deployment.passkeyPage(browser)
            let authenticator = SoftwareAuthenticator()
            #expect(try await browser.addPasskey(authenticator, on: page).status == 303)
            let again = try await Self.enter(authenticator, of: deployment)
            #expect(try await Self.methods(again, of: deployment) == ["passkey"])
        }
    }

    @Test("the mailbox: the passkey signs in, and no email is sent for it")
    func mailbox() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: Self.ann)
            let browser = try await Self.enter(authenticator, of: deployment)
            #expect(try await Self.methods(browser, of: deployment) == ["passkey"])
            #expect(try await deployment.rows(of: "challenge") == 0)
        }
    }

    @Test("the mailbox and the phone, beside a key: the key signs in, and adds the passkey of the next phone")
    func mailboxAndPhone() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.givePasskey(to: Self.ann)
            let key = try await deployment.givePasskey(to: Self.ann)
            let browser = try await Self.enter(key, of: deployment)
            let page = try await deployment.passkeyPage(browser)
            #expect(try await browser.addPasskey(SoftwareAuthenticator(), on: page).status == 303)
        }
    }

    @Test("the mailbox alone, and all passkeys: one command names another mailbox, and the account is the same")
    func mailboxAndPasskeys() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.givePasskey(to: Self.ann)
            let before = try await deployment.signedIn(as: Self.ann)
            let change = SetAddress(
                Self.ann, to: try EmailAddress("ann.new@example.com"), reporting: Silent())
            #expect(try await deployment.isChanged(by: change))
            #expect(try await !before.isSignedInOnHomePage(of: deployment))
            _ = try await deployment.signedIn(as: "ann.new@example.com")
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test("the account at a provider: an email signs in, and so does a passkey")
    func provider() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            _ = try await place.owner(adding: .oidc)
            let authenticator = try await place.deployment.givePasskey(to: Self.ann)
            let browser = try await Self.enter(authenticator, of: place.deployment)
            #expect(try await Self.methods(browser, of: place.deployment) == ["passkey"])
            try await place.deployment.forgetEmails(to: Self.ann)
            let byEmail = try await place.deployment.signedIn(as: Self.ann)
            #expect(try await Self.methods(byEmail, of: place.deployment) == ["email_code"])
        }
    }

    @Test("the passkey, beside a linked provider: it signs in, and adds no passkey beside the lost one")
    func passkeyBesideProvider() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            _ = try await place.owner(adding: .oidc)
            _ = try await place.deployment.givePasskey(to: Self.ann)
            let browser = place.deployment.browser()
            _ = try await place.signIn(.oidc, in: browser)
            #expect(try await browser.isSignedInOnHomePage(of: place.deployment))
            #expect(try await place.deployment.passkeyPage(browser).address.path == "/sign-in")
        }
    }

    @Test("the cookies of the browser: a passkey signs in there as in any other")
    func cookies() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: Self.ann)
            let first = try await Self.enter(authenticator, of: deployment)
            let cleared = first.withoutCookies()
            #expect(
                try await cleared.usePasskey(authenticator, on: deployment.signInPage(cleared)).status == 303)
        }
    }

    @Test("the cookies between the page and the touch: the page comes once more")
    func cookiesDuringSignIn() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: Self.ann)
            let browser = deployment.browser()
            let page = try await deployment.signInPage(browser)
            let answer = try authenticator.get(page.passkeyOptions(), at: deployment.origin)
            let cleared = browser.withoutCookies()
            #expect(try await cleared.sendPasskey(answer, on: page).status != 303)
            #expect(
                try await cleared.usePasskey(authenticator, on: deployment.signInPage(cleared)).status == 303)
        }
    }

    @Test("a node between the page and the touch: another one takes the answer")
    func node() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: Self.ann)
            let browser = deployment.browser()
            let page = try await deployment.signInPage(browser)
            try await deployment.withSecondIdP { other in
                let moved = browser.twin(routes: other.routes)
                let done = try await moved.usePasskey(authenticator, on: page)
                #expect(done.status == 303)
                let home = try await moved.get(other.origin + "/")
                #expect(home.status == 200 && home.text.contains("/sign-out"))
            }
        }
    }

    @Test("the secret key: every session ends, and the passkeys sign in with a new key")
    func secretKey() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: Self.ann)
            try await deployment.withSecondIdP(settings: ["IDP_SECRET_KEY": TestSecret.new()]) { other in
                let browser = other.browser()
                let done = try await browser.usePasskey(authenticator, on: other.signInPage(browser))
                #expect(done.status == 303)
            }
        }
    }
}
