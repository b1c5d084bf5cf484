import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccountPages
@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Threat: a change of the address as a takeover. By command only, both addresses told, everything ended.
@Suite("Setting the address of an account", .program)
struct SetAddressTests {
    private static func change(_ old: String, to new: String, _ deployment: TestDeployment) throws -> SetAddress {
        SetAddress(
            old, to: try EmailAddress(new),
            reporting: AccountNotices(
                ofCommandOn: deployment.database, clock: deployment.clock.clock,
                logger: deployment.log.logger("command")))
    }

    @Test("keeps the id, ends sessions, tokens and known browsers, and tells both addresses in the account's language")
    func ends() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser(language: "de")
            _ = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            let token = try await browser.token(for: deployment.client, of: deployment)
            let id = try await deployment.listed("ann@example.com")?.account.id
            #expect(
                try await deployment.isChanged(
                    by: Self.change("ANN@example.com", to: "Ann.Miller@example.com", deployment)))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.verify(token, as: deployment.client).error == "invalid_token")
            #expect(try await deployment.rows(of: "device") == 0)
            for address in ["ann@example.com", "ann.miller@example.com"] {
                let email = try await eventually("a notice to \(address)") {
                    deployment.mailbox.all(to: address).first {
                        $0.text.decodingQuotedPrintable().contains("ann.miller@example.com") && $0.code == nil
                    }
                }
                let text = email.text.decodingQuotedPrintable()
                #expect(text.contains("Sie lautet jetzt") && text.contains("ann.miller@example.com"))
            }
            deployment.clock.advance(by: .minutes(2))
            let next = try await deployment.asking("ann.miller@example.com")
            #expect(try await next.guess(next.code).status == 303)
            #expect(try await deployment.listed("ann.miller@example.com")?.account.id == id)
            // The old mailbox leads to another account.
            deployment.clock.advance(by: .minutes(2))
            let asking = try await deployment.asking("ann@example.com")
            #expect(try await asking.guess(asking.code).status == 303)
            let other = try await deployment.listed("ann@example.com")?.account.id
            #expect(other != nil && other != id)
        }
    }

    @Test("an address in use is refused, in upper case, too, and the same address changes nothing")
    func inUse() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            _ = try await deployment.signedIn(as: "bob@example.com")
            let refusal = try await deployment.refusal(
                of: Self.change("ann@example.com", to: "BOB@example.com", deployment))
            #expect(refusal?.contains("is the address of another account") == true)
            #expect(
                try await !deployment.isChanged(by: Self.change("ann@example.com", to: "ann@example.com", deployment)))
            #expect(try await deployment.rows(of: "account_notice") == 0)
            #expect(try await deployment.stored.accounts.signOuts() == 0)
        }
    }

    @Test("a code for the old address that was sent before does not open the account")
    func pendingCode() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            let id = try #require(try await deployment.listed("ann@example.com")?.account.id)
            deployment.clock.advance(by: .minutes(2))
            let asking = try await deployment.asking()
            try await deployment.change(Self.change("ann@example.com", to: "new@example.com", deployment))
            _ = try await asking.guess(asking.code)
            #expect(
                try await deployment.stored.sessions.holding(id).holding(#""signOuts":1"#).count() == 0)
            #expect(try await deployment.listed("ann@example.com")?.account.id != id)
        }
    }

    @Test("an open invitation to the old address ends")
    func invitation() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.invite("guest@elsewhere.org")
            let link = try await deployment.invitationLink(to: "guest@elsewhere.org")
            try await deployment.change(Self.change("guest@elsewhere.org", to: "other@elsewhere.org", deployment))
            let browser = deployment.browser()
            #expect(try await browser.follow(browser.get(link)).status == 410)
        }
    }
}
