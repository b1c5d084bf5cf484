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
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A user changes the own address", .program, .alsoOnPostgres)
struct OwnAddressTests {
    private static let (old, new) = ("ann@example.com", "ann.miller@example.com")

    @Test(
        "a typing error shows the form again, with the error, what was typed and the focus, before any new sign-in",
        arguments: [("ann@", "not an email address"), (old, "your address already")])
    func typingError(typed: String, words: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            deployment.clock.advance(by: .minutes(11))
            let refused = try await deployment.askForAddress(typed, in: browser)
            #expect(refused.status == 422 && refused.text.contains("<title>Error: ") && refused.text.contains(words))
            #expect(
                refused.text.contains("aria-describedby=\"email-error email-hint\" autofocus aria-invalid=\"true\""))
            let form = try #require(try refused.page().form(to: "/address/ask"))
            #expect(form["email"] == typed)
            #expect(try await browser.submit(form, on: refused, ["email": Self.new]).status == 303)
        }
    }

    @Test("a user changes the address, signs in with the new one, and the old one stops it")
    func journey() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let token = try await browser.token(for: deployment.client, of: deployment)
            let id = try await deployment.listed(Self.old)?.account.id
            let changed = try await browser.follow(deployment.changeAddress(to: Self.new, in: browser))
            #expect(changed.status == 200 && changed.text.contains("Your address was changed"))
            #expect(try await deployment.listed(Self.new)?.account.id == id)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment), "every sign-in ends")
            #expect(try await deployment.verify(token, as: deployment.client).error == "invalid_token")
            #expect(try await deployment.rows(of: "device") == 0)
            let link = try await deployment.addressStopLink(to: Self.old)
            _ = try await eventually("a notice to the new address") {
                deployment.mailbox.all(to: Self.new).first { $0.code == nil }
            }
            try await deployment.forgetEmails(to: Self.new)
            let next = try await deployment.asking(Self.new)
            #expect(try await next.guess(next.code).status == 303)
            #expect(try await next.browser.isSignedInOnHomePage(of: deployment))
            let other = deployment.browser()
            let stopped = try await other.follow(deployment.stopAddress(link, in: other))
            #expect(stopped.text.contains("Your old address is back"))
            #expect(try await deployment.listed(Self.old)?.account.id == id)
            #expect(try await deployment.listed(Self.new) == nil)
            #expect(try await !next.browser.isSignedInOnHomePage(of: deployment))
            let again = try await deployment.askingAgain(Self.old)
            #expect(try await again.guess(again.code).status == 303)
            #expect(try await deployment.listed(Self.old)?.account.id == id)
            let events = try await deployment.auditRows(
                .addressChangeAsked, .userChanged, .addressChangeStopped
            ).filter { $0.account == id }.map(\.event)
            #expect(events == ["address_change_asked", "user_changed", "address_change_stopped"])
        }
    }

    @Test("clients are told as an operator's change tells them")
    func clientsTold() async throws {
        try await TestDeployment.open(clientKeys: "logout_uri: \"{origin}/auth/sso/logout\"") { deployment in
            let browser = deployment.browser()
            let complete = try await browser.signIn(at: deployment.client, of: deployment, as: Self.old)
            _ = try await browser.follow(browser.get(complete.callback()))
            _ = try await deployment.changeAddress(to: Self.new, in: browser)
            #expect(try await deployment.rows(of: "sign_out_message") == 1)
            #expect(try await deployment.stored.clientSignIns.ended("signed_out").count() == 1)
            #expect(
                try await deployment.auditRows(.sessionEnded).compactMap(\.cause).contains("address_changed"))
        }
    }

    @Test("a taken, a free and a forbidden address get the same answers, and no code is right but that of the free one")
    func saysNothing() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn(as: "ben@example.com")
            var answers: Set<String> = []
            for (index, new) in ["ben@example.com", "free@example.com", "x@elsewhere.org"].enumerated() {
                let browser = try await deployment.signedIn(as: "ann\(index)@example.com")
                try await deployment.forgetEmails(to: new)
                let asked = try await deployment.askForAddress(new, in: browser)
                let page = try await browser.follow(asked)
                let id = try await deployment.changeID(to: new)
                let code = AddressKeys(deployment.keys).code(of: id)
                let wrong = try await browser.submit(
                    page.page().form(with: "code"), on: page, ["code": code == "000000" ? "000001" : "000000"])
                let right = new == "free@example.com" ? "" : code
                let refused =
                    right.isEmpty
                    ? wrong
                    : try await browser.submit(
                        page.page().form(with: "code"), on: page, ["code": right])
                #expect(refused.status == 422, "\(new)")
                answers.insert(
                    [asked, page, wrong].map {
                        "\($0.status) \($0.reply.header("location") ?? "") \($0.text.replacing(#/<[^>]*>/#, with: " "))"
                    }
                    .joined(separator: "\n").replacing(new, with: "NEW"))
                let file = try await deployment.download(in: browser).text
                #expect(!file.contains("taken") && !file.contains("refused"), "nor does the own file: \(new)")
            }
            #expect(answers.count == 1, "\(answers)")
            let told = try await eventually("an email to the owner") {
                deployment.mailbox.all(to: "ben@example.com").first {
                    $0.text.decodingQuotedPrintable().contains("was entered for another account")
                }
            }
            #expect(told.code == nil)
            try await deployment.sendDueEmails()
            #expect(deployment.mailbox.all(to: "x@elsewhere.org").isEmpty)
        }
    }

    @Test("the email to the old address goes out in the language of the account, with the new address in it")
    func language() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser(language: "de")
            _ = try await browser.signIn(at: deployment.client, of: deployment, as: Self.old)
            _ = try await deployment.changeAddress(to: Self.new, in: browser)
            _ = try await deployment.addressStopLink(to: Self.old)
            let text = deployment.mailbox.all(to: Self.old).map { $0.text.decodingQuotedPrintable() }.joined()
            #expect(text.contains("hat ab jetzt die Adresse") && text.contains(Self.new))
        }
    }
}

extension TestDeployment {
    /// The id of the newest change to an address.
    func changeID(to new: String) async throws -> String {
        try await stored.addressChanges.to(new).ids().first ?? ""
    }
}
