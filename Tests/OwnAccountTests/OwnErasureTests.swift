import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A user deletes the own account", .program)
struct OwnErasureTests {
    private static let address = "ann@example.com"

    @Test("a user deletes the account: it is closed at once, told by email, and erased after seven days")
    func journey() async throws {
        let support = "https://help.example/"
        let settings = TestDeployment.ownAccount.merging(["IDP_SUPPORT_URL": support]) { $1 }
        try await TestDeployment.open(settings: settings) { deployment in
            let browser = try await deployment.signedIn()
            let token = try await browser.token(for: deployment.client, of: deployment)
            let home = try await browser.get(deployment.origin + "/")
            #expect(try home.page().link(containing: "/erase") != nil)
            let done = try await browser.follow(deployment.askToErase("Ann@Example.com", in: browser))
            #expect(done.status == 200 && done.text.contains("Your account is closed"))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.verify(token, as: deployment.client).error == "invalid_token")
            let account = try #require(try await deployment.listed(Self.address)?.account)
            #expect(account.isDisabled && account.eraseAt == deployment.clock.now + .days(7))
            let email = try await eventually("an email about it") {
                deployment.mailbox.all(to: Self.address).lazy.map { $0.text.decodingQuotedPrintable() }
                    .first { $0.contains("deleted after seven days") }
            }
            #expect(email.contains("Contact support\n\(support)") || email.contains("Contact support\r\n\(support)"))
            #expect(email.contains("href=\"\(support)\""), "whom to contact: \(email)")
            let rows = try await deployment.auditRows(.userChanged).filter { $0.cause == "erase_requested" }
            #expect(rows.map(\.actor) == ["user:\(account.id)"])
            #expect(try await deployment.isChanged(by: EraseUser(Self.address, .cancel)), "an operator can keep it")
        }
    }

    @Test("without the setting there is no page, no form and no link")
    func off() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            #expect(try await browser.get(deployment.origin + "/erase").status == 404)
            let home = try await browser.get(deployment.origin + "/")
            #expect(try home.page().link(containing: "/erase") == nil)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let sent = try await browser.post(
                WebAddress(deployment.origin + "/erase/ask"), [("form_token", token), ("address", Self.address)])
            #expect(sent.status == 404)
            #expect(try await deployment.stored.accounts.toBeErased.count() == 0)
        }
    }

    @Test("another address that is typed deletes nothing", arguments: ["", "ben@example.com", "ann", "Delete"])
    func otherAddress(typed: String) async throws {
        try await TestDeployment.open(settings: TestDeployment.ownAccount) { deployment in
            let browser = try await deployment.signedIn()
            let refused = try await deployment.askToErase(typed, in: browser)
            #expect(refused.status == 422 && refused.text.contains("<title>Error: "))
            #expect(try refused.page().form(to: "/erase/ask")?["address"] == typed)
            #expect(refused.text.contains("autofocus aria-invalid=\"true\" aria-describedby=\"address-error\""))
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("an admin of the setting and the last admin stay, and one of two may go")
    func admins() async throws {
        let settings = TestDeployment.ownAccount.merging(["IDP_ADMINS": "boss@example.com"]) { $1 }
        try await TestDeployment.open(settings: settings) { deployment in
            try await Self.refused("boss@example.com", deployment)
            _ = try await deployment.isChanged(by: GrantRole(.admin, to: "boss@example.com"))
            let second = try await deployment.signedIn()
            try await deployment.change(GrantRole(.admin, to: Self.address))
            #expect(try await deployment.askToErase(Self.address, in: second).location().path == "/erase/done")
        }
        try await TestDeployment.open(settings: TestDeployment.ownAccount) { deployment in
            _ = try await deployment.signedIn()
            try await deployment.change(GrantRole(.admin, to: Self.address))
            try await deployment.forgetEmails(to: Self.address)
            try await Self.refused(Self.address, deployment)
        }
    }

    @Test("who has just changed the address cannot end the account before the old owner could stop it")
    func afterChange() async throws {
        try await TestDeployment.open(settings: TestDeployment.ownAccount) { deployment in
            let browser = try await deployment.signedIn()
            _ = try await deployment.changeAddress(to: "thief@example.com", in: browser)
            try await deployment.forgetEmails(to: "thief@example.com")
            try await Self.refused("thief@example.com", deployment)
        }
    }

    /// The page has no form, and what is sent all the same changes nothing.
    private static func refused(_ address: String, _ deployment: TestDeployment) async throws {
        let browser = try await deployment.signedIn(as: address)
        let page = try await browser.get(deployment.origin + "/erase")
        #expect(try page.status == 200 && page.page().form(to: "/erase/ask") == nil)
        let home = try await browser.get(deployment.origin + "/")
        let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
        let sent = try await browser.post(
            WebAddress(deployment.origin + "/erase/ask"), [("form_token", token), ("address", address)])
        #expect(try sent.status == 303 && sent.location().path == "/erase")
        #expect(try await deployment.stored.accounts.toBeErased.count() == 0)
    }
}
