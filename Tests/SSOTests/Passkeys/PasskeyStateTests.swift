import JWT
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What an account and its passkeys are to each other.
@Suite("An account and its passkeys", .program)
struct PasskeyStateTests {
    private struct Silent: AccountChangeReporter {
        func report(
            _ change: AccountChange, of account: Account, by origin: ChangeOrigin, _ connection: any SQLConnection
        ) throws {}
    }

    /// The user handle that the page names to the authenticator.
    private static func handle(_ page: Visit) throws -> String {
        try JSONDecoding.value(Array(page.passkeyOptions().utf8))["user"]?["id"]?.text ?? ""
    }

    @Test("the user handle of an account never changes, and says nothing about it")
    func userHandle() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let page = try await deployment.passkeyPage(browser)
            let first = try Self.handle(page)
            #expect(Base64URL.decode(first)?.count == 32)
            let account = try await deployment.listed("ann@example.com")?.account.id ?? ""
            #expect(!account.isEmpty && !first.contains(account) && !account.contains(first))
            let ben = try await deployment.passkeyPage(deployment.signedIn(as: "ben@example.com"))
            #expect(try Self.handle(ben) != first)

            let authenticator = SoftwareAuthenticator()
            _ = try await browser.addPasskey(authenticator, on: page)
            let changes: [@Sendable () async throws -> Void] = [
                {},
                { try await deployment.stored.accounts.rename("Another") },
                { _ = try await deployment.isChanged(by: ForgetPasskeys(reporting: Silent())) },
            ]
            for (index, change) in changes.enumerated() {
                try await change()
                let next = deployment.browser()
                if index < 2 {
                    _ = try await next.usePasskey(authenticator, on: deployment.signInPage(next))
                } else {
                    try await deployment.forgetEmails(to: "ann@example.com")
                    _ = try await deployment.enterCode(deployment.signInPage(next), in: next, as: "ann@example.com")
                }
                #expect(try await Self.handle(deployment.passkeyPage(next)) == first, "\(index)")
            }
        }
    }

    @Test("a passkey whose BE has changed is told so in words of its own, which only the holder of its key sees")
    func eligibility() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            func refused(_ change: (inout AssertionDraft) throws -> Void) async throws -> String {
                let page = try await deployment.signInPage(browser)
                var draft = try authenticator.assertion(page.passkeyOptions(), at: deployment.origin)
                draft.data.flags &= ~(AuthenticatorDraft.Flag.eligible | AuthenticatorDraft.Flag.backedUp)
                try change(&draft)
                let answer = String(decoding: try draft.passkey().json, as: UTF8.self)
                let visit = try await browser.sendPasskey(answer, on: page)
                #expect(visit.status == 422)
                return visit.text
            }
            let own = "stored in another way"
            #expect(try await refused { _ in }.contains(own))
            #expect(try await !refused { $0.key = try PrivateKey(new: .es256) }.contains(own))
            #expect(try await !refused { $0.userHandle = try RandomBytes.generate(32) }.contains(own))
        }
    }

    @Test("a passkey is two factors, and asks for no second one; what is weaker is asked")
    func secondFactor() async throws {
        try await TestDeployment.open(adding: PinFactor.added) { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let done = try await browser.usePasskey(authenticator, on: deployment.signInPage(browser))
            #expect(try done.location().path == "/")
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            let weak = try await deployment.asking()
            #expect(try await weak.browser.follow(weak.guess(weak.code)).address.path == PinFactor.pagePath)
            #expect(try await deployment.passkeyPage(weak.browser).address.path == "/sign-in")
        }
    }

    @Test("a refresh token of a weaker sign-in gives nothing once the setting asks for more")
    func refreshTokens() async throws {
        let keys = TestedProtocol.clientKeys
        try await TestDeployment.open(clientKeys: keys, adding: TicketProtocol.added) { deployment in
            let browser = deployment.browser()
            _ = try await deployment.enterCode(deployment.signInPage(browser), in: browser, as: "ann@example.com")
            let code = try await deployment.oidcCode(browser, nil, ["scope": "openid offline_access"])
            let first = try await deployment.oidcToken(code, as: deployment.client)
            let token = try #require(try first.json()["refresh_token"]?.text)
            try await deployment.withSecondIdP(settings: ["IDP_REQUIRE": "phr"]) { strict in
                let refused = try await strict.oidcRefresh(token, as: deployment.client)
                let error = try refused.json()["error"]?.text
                #expect(refused.status == 400 && error == "invalid_grant", "\(refused.text)")
            }
        }
    }
}
