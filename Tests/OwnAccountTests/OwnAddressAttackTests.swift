import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccountPages
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Threat: a change of the address as a takeover, of the account or of an address that belongs to somebody else.
@Suite("Attacks on the change of the own address", .program)
struct OwnAddressAttackTests {
    private static let new = "new@example.com"

    @Test("after five wrong codes the right one is refused, and so is one of before the last request")
    func guesses() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let first = try await deployment.askedForAddress(Self.new, in: browser)
            try await deployment.forgetEmails(to: Self.new)
            let second = try await deployment.askedForAddress(Self.new, in: browser)
            if first.code != second.code { #expect(try await second.guess(first.code).status == 422) }
            for _ in 0..<5 { _ = try await second.guess(second.wrong) }
            let refused = try await second.guess(second.code)
            #expect(refused.status == 410)
            #expect(try await deployment.listed(Self.new) == nil)
            #expect(try await deployment.stored.addressChanges.tried(moreThan: 5).count() == 0)
        }
    }

    @Test("the code counts ten minutes, in the browser that asked, and for the account that asked")
    func bound() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let asked = try await deployment.askedForAddress(Self.new, in: browser)
            let other = try await deployment.furtherBrowser()
            let home = try await other.get(deployment.origin + "/")
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let elsewhere = try await other.post(
                WebAddress(deployment.origin + "/address/code"), [("form_token", token), ("code", asked.code)])
            #expect(elsewhere.status == 410)
            deployment.clock.advance(by: .minutes(10))
            #expect(try await asked.guess(asked.code).status == 410)
            #expect(try await deployment.listed(Self.new) == nil)
        }
    }

    @Test("one address gets four codes a day by whatever accounts, one account five, and neither says whose it is")
    func limits() async throws {
        try await TestDeployment.open { deployment in
            for address in ["victim@example.com", "ben@example.com"] {
                if address == "ben@example.com" { _ = try await deployment.signedIn(as: address) }
                for number in 0..<5 {
                    let browser = try await deployment.signedIn(as: "\(number).\(address)")
                    try await deployment.forgetEmails(to: address)
                    let asked = try await deployment.askForAddress(address, in: browser)
                    #expect(asked.status == (number < 4 ? 303 : 429), "\(address) \(number)")
                }
            }
            let browser = try await deployment.signedIn()
            for number in 0..<5 {
                #expect(try await deployment.askForAddress("n\(number)@example.com", in: browser).status == 303)
            }
            let page = try await browser.get(deployment.origin + "/address")
            #expect(try page.text.contains("many codes today") && page.page().form(to: "/address/ask") == nil)
        }
    }

    @Test("a second code to one mailbox within a minute is refused, as on the sign-in page")
    func budget() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            #expect(try await deployment.askForAddress(Self.new, in: browser).status == 303)
            #expect(try await deployment.askForAddress(Self.new, in: browser).status == 429)
        }
    }

    @Test("an account with a passkey asks for it: a code by email does not move the account")
    func strength() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.passkeyOwner(SoftwareAuthenticator())
            let asked = try await deployment.askForAddress(Self.new, in: browser)
            #expect(try asked.status == 303 && asked.location().path == "/sign-in")
            #expect(try await deployment.rows(of: "address_change") == 0)
        }
    }

    @Test("a passkey that is added between the code and its typing is asked for")
    func strengthMeanwhile() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let asked = try await deployment.askedForAddress(Self.new, in: browser)
            _ = try await browser.addPasskey(SoftwareAuthenticator(), on: deployment.passkeyPage(browser))
            #expect(try await asked.guess(asked.code).location().path == "/address")
            #expect(try await deployment.listed(Self.new) == nil)
        }
    }

    @Test("a user is kept in the own organization: by the setting, and one who was invited in the own domain")
    func organization() async throws {
        try await TestDeployment.open(settings: ["IDP_ALLOWED_EMAILS": "*@example.com, zoe@partner.org"]) {
            deployment in
            try await deployment.invite("guest@elsewhere.org")
            let rows: [(from: String, to: String, fate: String)] = [
                ("ann@example.com", "ann@gmail.test", "refused"), ("ann@example.com", "new@example.com", "code"),
                ("zoe@partner.org", "yan@partner.org", "refused"), ("guest@elsewhere.org", "g@elsewhere.org", "code"),
                ("guest@elsewhere.org", "g@private.test", "refused"), ("guest@elsewhere.org", "g@example.com", "code"),
            ]
            for row in rows {
                try await deployment.forgetEmails(to: row.from)
                let browser = try await deployment.signedIn(as: row.from)
                _ = try await deployment.askForAddress(row.to, in: browser)
                let found = try await deployment.stored.addressChanges.to(row.to).fate(row.fate).count()
                #expect(found == 1, "\(row)")
            }
        }
    }

    @Test("an imported account and that of IDP_ADMINS keep their address, and a changed one for 24 hours")
    func fixed() async throws {
        try await TestDeployment.open(settings: ["IDP_ADMINS": "boss@example.com"]) { deployment in
            let boss = try await deployment.signedIn(as: "boss@example.com")
            let imported = try await deployment.signedIn(as: "ben@example.com")
            try await deployment.stored.accounts.of("ben@example.com").setImported()
            let changed = try await deployment.signedIn()
            _ = try await deployment.changeAddress(to: Self.new, in: changed)
            let again = try await deployment.signedInAgain(as: Self.new)
            for browser in [boss, imported, again] {
                let page = try await browser.get(deployment.origin + "/address")
                #expect(try page.status == 200 && page.page().form(to: "/address/ask") == nil)
                let home = try await browser.get(deployment.origin + "/")
                let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
                let sent = try await browser.post(
                    WebAddress(deployment.origin + "/address/ask"),
                    [("form_token", token), ("email", "forced@example.com")])
                #expect(try sent.status == 303 && sent.location().path == "/address")
            }
            #expect(try await deployment.rows(of: "address_change") == 1)
            deployment.clock.advance(by: .hours(24))
            let later = try await deployment.signedInAgain(as: Self.new)
            #expect(try await deployment.askForAddress("more@example.com", in: later).status == 303)
        }
    }
}

extension TestDeployment {
    /// A browser that signs in although its address was written to a moment ago.
    func signedInAgain(as address: String) async throws -> Browser {
        try await forgetEmails(to: address)
        return try await signedIn(as: address)
    }
}
