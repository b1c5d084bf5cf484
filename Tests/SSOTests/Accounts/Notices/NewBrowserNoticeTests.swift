import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPAccountPages
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What the owner of an account learns of sign-ins without an email in browsers that were not known.
@Suite("Notices of sign-ins in new browsers", .program)
struct NewBrowserNoticeTests {
    private static let byPasskey = "signed_in_by_passkey"
    private static let byProvider = "signed_in_by_provider"

    private static func signIn(
        _ authenticator: SoftwareAuthenticator, in browser: Browser, of deployment: TestDeployment
    ) async throws {
        #expect(try await browser.usePasskey(authenticator, on: deployment.signInPage(browser)).status == 303)
    }

    @Test(
        "a passkey in a new browser is told once, in the language of that browser",
        arguments: [("en", "with a passkey, in a browser"), ("de", "mit einem Passkey angemeldet, in einem Browser")])
    func passkey(language: String, words: String) async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser(language: language)
            try await Self.signIn(authenticator, in: browser, of: deployment)
            let notice = try await eventually("the notice") { deployment.mailbox.all(to: "ann@example.com").first }
            #expect(notice.text.decodingQuotedPrintable().contains(words))
            #expect(notice.text.decodingQuotedPrintable().contains("/sessions"))

            try await browser.signOut(of: deployment)
            try await Self.signIn(authenticator, in: browser, of: deployment)
            #expect(try await deployment.stored.notices.about(Self.byPasskey).count() == 1, "it is known now")
        }
    }

    @Test("a passkey in a browser that an email made known is not told")
    func known() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            try await browser.signOut(of: deployment)
            try await Self.signIn(authenticator, in: browser, of: deployment)
            #expect(try await deployment.stored.notices.about(Self.byPasskey).count() == 0)
        }
    }

    @Test("a provider is told in a new browser alone, and never at the sign-in that makes the account")
    func provider() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let deployment = place.deployment
            try place.standIn(.oidc).user.email = "ann@example.com"
            let first = deployment.browser()
            for state in ["one", "two"] {
                _ = try await place.signIn(.oidc, in: first, state: state)
                try await first.signOut(of: deployment)
            }
            #expect(try await deployment.stored.notices.about(Self.byProvider).count() == 0)
            _ = try await place.signIn(.oidc, in: deployment.browser(), state: "three")
            #expect(try await deployment.stored.notices.about(Self.byProvider).count() == 1)
            let notice = try await eventually("the notice") { deployment.mailbox.all(to: "ann@example.com").first }
            #expect(notice.text.decodingQuotedPrintable().contains("with Provider work, in a browser"))
        }
    }

    @Test("many new browsers cause ten emails a day, and keep no notice of a change away")
    func limit() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            var browser = deployment.browser()
            for _ in 0...AccountNotices.signInsPerDay {
                browser = deployment.browser()
                try await Self.signIn(authenticator, in: browser, of: deployment)
            }
            #expect(
                try await deployment.stored.notices.about(Self.byPasskey).count()
                    == Int64(AccountNotices.signInsPerDay))
            let list = try await browser.get(deployment.origin + "/passkeys")
            let renamed = try await browser.submit(
                list.page().form(to: "/passkeys/rename"), on: list, ["name": "Mine"])
            #expect(renamed.status == 303)
            #expect(try await deployment.stored.notices.about("passkey_renamed").count() == 1)
            deployment.clock.advance(by: .days(1))
            try await Self.signIn(authenticator, in: deployment.browser(), of: deployment)
            #expect(
                try await deployment.stored.notices.about(Self.byPasskey).count()
                    == Int64(AccountNotices.signInsPerDay + 1))
        }
    }
}
