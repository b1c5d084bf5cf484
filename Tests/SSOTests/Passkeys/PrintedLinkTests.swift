import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A user who begins by a link that an operator has printed.
@Suite("Printed links", .program)
struct PrintedLinkTests {
    private static let address = "ann@example.com"

    private static func press(_ link: String, in browser: Browser) async throws -> Visit {
        let page = try await browser.follow(browser.get(link))
        return try await browser.submit(page.page().form(to: "/sign-in/operator"), on: page)
    }

    @Test("it signs in once, leads to a passkey, and its user needs no email from then on")
    func whole() async throws {
        try await TestDeployment.open { deployment in
            let link = try await deployment.printLink(for: Self.address)
            let browser = deployment.browser()
            let kept = try await browser.get(link)
            #expect(try kept.location().path == "/sign-in/operator", "the key leaves the address")
            // Programs that check links press nothing.
            _ = try await deployment.browser().follow(deployment.browser().get(link))
            let add = try await browser.follow(Self.press(link, in: browser))
            #expect(add.address.path == "/passkeys/add", "\(add.text)")
            let authenticator = SoftwareAuthenticator()
            #expect(try await browser.addPasskey(authenticator, on: add).status == 303)
            let token = try await browser.token(for: deployment.client, of: deployment)
            let answer = try JSONDecoding.value(await deployment.verify(token, as: deployment.client).body)
            #expect(answer["session"]?["methods"]?.items.map(\.text) == ["operator"])
            #expect(answer["session"]?["acr"]?.text == "any")

            let again = try await deployment.browser().follow(deployment.browser().get(link))
            #expect(again.status == 410)
            let other = deployment.browser()
            #expect(try await other.usePasskey(authenticator, on: deployment.signInPage(other)).status == 303)
            for kind in ["sign_in_link_made", "sign_in_link_used"] {
                #expect(try await deployment.stored.audit.of(kind).count() == 1, "\(kind)")
            }

            // Email is one more way, and the weaker one.
            _ = try await eventually("the notices of the link and of the passkey") {
                deployment.mailbox.all(to: Self.address).count >= 2 ? true : nil
            }
            let later = deployment.browser()
            _ = try await deployment.enterCode(deployment.signInPage(later), in: later, as: Self.address)
            #expect(try await deployment.rows(of: "passkey") == 1)
            #expect(try await other.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.stored.notices.about("first_mailbox").count() == 1)
        }
    }

    @Test("one that is expired, withdrawn, replaced or unknown is a page with one next step, and signs in nobody")
    func over() async throws {
        try await TestDeployment.open { deployment in
            func open(_ link: String, is status: Int, _ name: String) async throws {
                let browser = deployment.browser()
                let page = try await browser.follow(browser.get(link))
                #expect(page.status == status && page.text.contains("/sign-in"), "\(name)")
                #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            }
            let first = try await deployment.printLink(for: Self.address)
            let second = try await deployment.printLink(for: Self.address)
            try await open(first, is: 410, "replaced")
            try await open(second, is: 200, "the one in its place")
            #expect(try await deployment.isChanged(by: WithdrawLink(Self.address)))
            try await open(second, is: 410, "withdrawn")
            let third = try await deployment.printLink(for: Self.address)
            deployment.clock.advance(by: .minutes(10))
            try await open(third, is: 410, "expired")
            try await open(deployment.origin + "/sign-in/operator/" + PrintedLinkKey().wire, is: 410, "unknown")
            try await open(deployment.origin + "/sign-in/operator/x", is: 410, "malformed")
            let last = try await deployment.printLink(for: Self.address)
            let browser = deployment.browser()
            #expect(try await Self.press(last, in: browser).status == 303)
        }
    }

    @Test(
        "an account that it has made is added and not withdrawn, also later; one whose invitation was taken back is withdrawn"
    )
    func state() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.printLink(for: Self.address)
            #expect(try await deployment.listed(Self.address)?.state == .added)
            deployment.clock.advance(by: .days(60))
            let now = deployment.clock.now
            #expect(try await deployment.database.write { try PrintedLinkStore.purge(limit: 10, at: now, $0) } == 0)
            #expect(try await deployment.listed(Self.address)?.state == .added)
            try await deployment.invite(Self.address)
            #expect(try await deployment.listed(Self.address)?.state == .invited)
            try await deployment.change(WithdrawInvitation(Self.address))
            #expect(try await deployment.listed(Self.address)?.state == .withdrawn)
        }
    }

    @Test("sixteen presses at the same instant sign in once")
    func parallel() async throws {
        try await TestDeployment.open { deployment in
            let link = try await deployment.printLink(for: Self.address)
            let browsers = (0..<16).map { _ in deployment.browser() }
            var pages: [Visit] = []
            for browser in browsers { pages.append(try await browser.follow(browser.get(link))) }
            let signedIn = try await withThrowingTaskGroup(of: Int.self) { group in
                for (browser, page) in zip(browsers, pages) {
                    group.addTask {
                        let done = try await browser.submit(page.page().form(to: "/sign-in/operator"), on: page)
                        return try done.status == 303 && done.location().path == "/passkeys/add" ? 1 : 0
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(signedIn == 1)
        }
    }

    @Test("a link that is pressed while it is withdrawn or replaced signs in, or is over: never both", arguments: 0..<8)
    func whilePressed(round: Int) async throws {
        try await TestDeployment.open { deployment in
            let link = try await deployment.printLink(for: Self.address)
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(link))
            async let pressed = browser.submit(page.page().form(to: "/sign-in/operator"), on: page)
            let hasEnded =
                if round.isMultiple(of: 2) {
                    try await deployment.isChanged(by: WithdrawLink(Self.address))
                } else {
                    try? await deployment.printLink(for: Self.address) != link
                }
            let answer = try await pressed
            let isIn = try await browser.isSignedInOnHomePage(of: deployment)
            #expect(isIn != (hasEnded ?? false), "\(answer.status)")
            // One that ends between the look and the use of the link leads to the page that says so.
            let end = isIn ? answer : try await browser.follow(answer)
            #expect(end.status == (isIn ? 303 : 410))
        }
    }

    @Test("no command signs an operator in as another user: an account that somebody has signed in to gets none")
    func others() async throws {
        try await TestDeployment.open { deployment in
            let eligibility = SignInEligibility(
                allowed: try AllowedEmails("*@example.com"), clock: deployment.clock.clock)
            func refusal(_ address: String) async throws -> String? {
                try await deployment.refusal(
                    of: PrintLink(PrintedLinkKey(), for: EmailAddress(address), eligibility))
            }
            let link = try await deployment.printLink(for: Self.address)
            _ = try await deployment.signedIn(as: Self.address)
            #expect(try await refusal(Self.address)?.contains("idp user set-address") == true)
            let late = deployment.browser()
            #expect(try await late.follow(late.get(link)).status == 410, "made before the sign-in")
            // Also when its identities are gone.
            try await deployment.stored.deleteAll(of: "account_identity")
            try await deployment.stored.accounts.setSignOuts(1)
            #expect(try await refusal(Self.address) != nil)
            #expect(try await refusal("eve@elsewhere.example")?.contains("IDP_ALLOWED_EMAILS") == true)
        }
    }
}

/// The commands about passkeys.
@Suite("Operators and passkeys", .program)
struct PasskeyOperationTests {
    private struct Silent: AccountChangeReporter {
        func report(
            _ change: AccountChange, of account: Account, by origin: ChangeOrigin, _ connection: any SQLConnection
        ) throws {}
    }

    @Test("a removed passkey ends the sign-ins of its account, and email signs in; an unknown id changes nothing")
    func removal() async throws {
        try await TestDeployment.open { deployment in
            let (browser, list) = try await deployment.passkeyList()
            let id = try #require(try list.page().form(to: "/passkeys/remove")?["passkey"])
            let wrong = RemovePasskey("pky_none", of: "ann@example.com", reporting: Silent())
            #expect(try await deployment.refusal(of: wrong)?.contains("has no passkey pky_none") == true)
            #expect(try await deployment.rows(of: "passkey") == 1)
            #expect(
                try await deployment.isChanged(by: RemovePasskey(id, of: "ann@example.com", reporting: Silent())))
            #expect(try await deployment.rows(of: "passkey") == 0)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            _ = try await deployment.signedIn(as: "ann@example.com")
        }
    }

    @Test(
        "accounts without a passkey are listed, and all passkeys are forgotten by one change, in transactions of some users"
    )
    func all() async throws {
        try await TestDeployment.open { deployment in
            for name in ["ann", "cid", "dan"] { _ = try await deployment.givePasskey(to: "\(name)@example.com") }
            _ = try await deployment.signedIn(as: "ben@example.com")
            var search = AccountAdministration.Search()
            search.isWithoutPasskey = true
            let administration = AccountAdministration(database: deployment.database, clock: deployment.clock.clock)
            #expect(try await administration.page(search).map(\.account.email) == ["ben@example.com"])
            // Each transaction takes two users at most.
            let database = RecordingDatabase(deployment.database)
            let operators = OperatorChanges(
                database, by: .command(user: "root", sudo: nil), clock: deployment.clock.clock)
            let forget = ForgetPasskeys(reporting: Silent(), atMost: 2)
            #expect(try await forget.makeForAll(by: operators).result == 3)
            #expect(database.transactions == 3)
            #expect(try await administration.page(search).count == 4)
            #expect(try await !forget.makeForAll(by: operators).isChanged)
        }
    }
}
