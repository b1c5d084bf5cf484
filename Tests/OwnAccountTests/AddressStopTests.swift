import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccountPages
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The owner of the old address stops a change", .program)
struct AddressStopTests {
    private static let (old, new) = ("ann@example.com", "thief@example.com")

    /// A thief with the browser of a user has changed the address.
    private static func open(
        _ settings: [String: String] = [:], _ body: (TestDeployment, String) async throws -> Void
    ) async throws {
        try await TestDeployment.open(settings: settings) { deployment in
            let browser = try await deployment.signedIn(as: old)
            _ = try await deployment.changeAddress(to: new, in: browser)
            try await body(deployment, deployment.addressStopLink(to: old))
        }
    }

    @Test("GET changes nothing, the key leaves the address, and the link works once")
    func once() async throws {
        try await Self.open { deployment, link in
            let browser = deployment.browser()
            let opened = try await browser.get(link)
            #expect(try opened.status == 303 && opened.location().path == "/address/stop")
            let page = try await browser.follow(opened)
            #expect(page.status == 200 && page.text.contains(Self.new))
            #expect(try await deployment.listed(Self.new) != nil)
            #expect(try await deployment.stopAddress(link, in: browser).status == 303)
            #expect(try await browser.follow(browser.get(link)).status == 410)
            #expect(try await deployment.auditRows(.addressChangeStopped).count == 1)
        }
    }

    @Test("after 24 hours, with a forged key, and after an operator's change nothing is stopped")
    func ended() async throws {
        try await Self.open { deployment, link in
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(link))
            for key in [String(link.dropLast()) + (link.hasSuffix("A") ? "B" : "A"), "x", ""] {
                let forged = key.hasPrefix("http") ? key : "\(deployment.origin)/address/stop/\(key)"
                let other = deployment.browser()
                #expect(try await [404, 410].contains(other.follow(other.get(forged)).status), "\(key)")
            }
            deployment.clock.advance(by: .hours(24))
            #expect(try await browser.submit(page.page().form(to: "/address/stop"), on: page).status == 410)
            #expect(try await deployment.listed(Self.new) != nil)
        }
        try await Self.open { deployment, link in
            try await deployment.change(
                SetAddress(
                    Self.new, to: EmailAddress("final@example.com"),
                    reporting: AccountNotices(
                        ofCommandOn: deployment.database, clock: deployment.clock.clock,
                        logger: deployment.log.logger("command"))))
            let browser = deployment.browser()
            #expect(try await browser.follow(browser.get(link)).status == 410)
            #expect(try await deployment.listed("final@example.com") != nil)
        }
    }

    @Test("what a thief has added meanwhile is removed: a passkey, a provider's account, a key of an app")
    func added() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let deployment = place.deployment
            let owner = try await deployment.signedIn(as: Self.old)
            _ = try await deployment.changeAddress(to: Self.new, in: owner)
            let link = try await deployment.addressStopLink(to: Self.old)
            try await deployment.forgetEmails(to: Self.new)
            let thief = try await deployment.makeAppKey(as: Self.new).browser
            _ = try await place.add(.oidc, in: thief)
            let authenticator = SoftwareAuthenticator()
            let passkey = try await thief.addPasskey(authenticator, on: deployment.passkeyPage(thief))
            #expect(passkey.status == 303)
            #expect(try await place.externalIdentities() == 1)
            #expect(try await deployment.stopAddress(link, in: deployment.browser()).status == 303)
            #expect(try await place.externalIdentities() == 0)
            for table in ["passkey", "app_key"] { #expect(try await deployment.rows(of: table) == 0, "\(table)") }
            #expect(
                try await deployment.stored.identities.subject("ann@example.com").count() == 1)
            #expect(try await deployment.rows(of: "account_identity") == 1)
        }
    }

    @Test("what the owner had before stays")
    func kept() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let deployment = place.deployment
            let owner = try await place.owner(adding: .oidc)
            deployment.clock.advance(by: .seconds(1))
            _ = try await deployment.changeAddress(to: Self.new, in: owner)
            _ = try await deployment.stopAddress(
                deployment.addressStopLink(to: Self.old), in: deployment.browser())
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("nobody gets the old address for 24 hours: no sign-in, no provider, no invitation, no other account")
    func reserved() async throws {
        try await Self.open { deployment, _ in
            let other = try await deployment.signedIn(as: "ben@example.com")
            let accounts = try await deployment.rows(of: "account")
            try await deployment.forgetEmails(to: Self.old)
            let earlier = deployment.mailbox.all(to: Self.old).count
            _ = try await deployment.waiting(for: Self.old, by: deployment.browser())
            try await deployment.forgetEmails(to: Self.old)
            _ = try await deployment.askForAddress(Self.old, in: other)
            #expect(
                try await deployment.stored.addressChanges.to(Self.old).fate("refused").count() == 1)
            try await deployment.sendDueEmails()
            #expect(deployment.mailbox.all(to: Self.old).count == earlier)
            let address = try EmailAddress(Self.old)
            #expect(
                try await deployment.refusal(
                    of: InviteUser(
                        address, groups: [], client: nil, end: nil, language: .english,
                        mail: deployment.invitationMail))?.contains("24 hours") == true)
            #expect(
                try await deployment.refusal(
                    of: SetAddress(
                        "ben@example.com", to: address,
                        reporting: AccountNotices(
                            ofCommandOn: deployment.database, clock: deployment.clock.clock,
                            logger: deployment.log.logger("command"))))?.contains("24 hours") == true)
            #expect(try await deployment.rows(of: "account") == accounts)
            deployment.clock.advance(by: .hours(24))
            let free = try await deployment.askingAgain(Self.old)
            #expect(try await free.guess(free.code).status == 303)
            #expect(try await deployment.rows(of: "account") == accounts + 1)
        }
    }

    @Test("a code for the old address that was sent before opens no account")
    func pendingCode() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let asking = try await deployment.askingAgain(Self.old)
            _ = try await deployment.changeAddress(to: Self.new, in: browser)
            _ = try await asking.guess(asking.code)
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }
}
