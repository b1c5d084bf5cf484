import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// For whom an operator may print a link, and what it leaves behind.
@Suite("Who gets a printed link", .program, .alsoOnPostgres)
struct PrintedLinkStandingTests {
    private static let address = "ann@example.com"

    private struct Silent: AccountChangeReporter {
        func report(
            _ change: AccountChange, of account: Account, by origin: ChangeOrigin, _ connection: any SQLConnection
        ) throws {}
    }

    private static func refusal(_ deployment: TestDeployment, _ address: String = address) async throws -> String? {
        let eligibility = SignInEligibility(allowed: try AllowedEmails("*@example.com"), clock: deployment.clock.clock)
        return try await deployment.refusal(of: PrintLink(PrintedLinkKey(), for: EmailAddress(address), eligibility))
    }

    /// Opens a link and presses its button.
    private static func press(_ link: String, in browser: Browser) async throws -> Visit {
        let page = try await browser.follow(browser.get(link))
        return try await browser.submit(page.page().form(to: "/sign-in/operator"), on: page)
    }

    @Test("a link admits its account no longer than the setting names the address, and an invited one stays added")
    func standing() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let link = try await deployment.printLink(for: Self.address)
            #expect(try await deployment.stored.accounts.notAdded.notImported.count() == 1)
            #expect(try await Self.press(link, in: browser).status == 303)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))

            let invited = deployment.browser()
            try await deployment.stored.accounts.add(
                AddedAccount("usr_inv", "inv@example.com", name: "Inv", isAdded: true))
            let second = try await deployment.printLink(for: "inv@example.com")
            #expect(try await Self.press(second, in: invited).status == 303)
            try await deployment.withSecondIdP(settings: ["IDP_ALLOWED_EMAILS": "*@elsewhere.example"]) { narrowed in
                let routes = narrowed.routes
                #expect(try await !browser.twin(routes: routes).isSignedInOnHomePage(of: narrowed))
                #expect(try await invited.twin(routes: routes).isSignedInOnHomePage(of: narrowed))
                let late = deployment.browser().twin(routes: routes)
                let closed = try await late.follow(late.get(link))
                #expect(closed.status == 410)
            }
        }
    }

    @Test("an account that nobody has signed in to gets one, whatever operators have done with it")
    func untouched() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.printLink(for: Self.address)
            let changes: [@Sendable () async throws -> Void] = [
                { _ = try await deployment.isChanged(by: SignOutUser(Self.address)) },
                { _ = try await deployment.isChanged(by: DisableUser(Self.address)) },
                { _ = try await deployment.isChanged(by: EnableUser(Self.address)) },
                { _ = try await deployment.isChanged(by: EraseUser(Self.address)) },
                { _ = try await deployment.isChanged(by: EraseUser(Self.address, .cancel)) },
                {
                    try await deployment.stored.accounts.setImported()
                    try await deployment.stored.accounts.setAdded()
                },
                { _ = try await deployment.isChanged(by: WithdrawLink(Self.address)) },
            ]
            for change in changes { try await change() }
            #expect(try await deployment.stored.accounts.signedOut(moreThan: 1).untouched.count() == 1)
            let browser = deployment.browser()
            let link = try await deployment.printLink(for: Self.address)
            #expect(try await Self.press(link, in: browser).status == 303)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    /// How somebody has signed in.
    enum Beginning: String, CaseIterable, Sendable { case email, passkey, link, provider }

    private static func begin(_ how: Beginning, _ deployment: TestDeployment) async throws {
        switch how {
        case .email: _ = try await deployment.signedIn(as: address)
        case .passkey: _ = try await deployment.givePasskey(to: address)
        case .link: _ = try await press(deployment.printLink(for: address), in: deployment.browser())
        case .provider:
            let accounts = AccountStore(
                database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness(),
                eligibility: SignInEligibility(
                    allowed: try AllowedEmails("*@example.com"), clock: deployment.clock.clock),
                signOuts: SignOuts(clock: deployment.clock.clock, randomness: SystemRandomness(), protocols: .builtIn))
            let identity = ExternalIdentity(
                provider: "op", issuer: "https://op.example", subject: "ann", email: try EmailAddress(address))
            try await deployment.stored.accounts.add(AddedAccount("usr_made", address, name: "Ann"))
            try await deployment.database.write { connection in
                let account = try AccountStore.find("usr_made", connection)
                if let account { try accounts.add(.external(identity), to: account, connection) }
            }
        }
    }

    @Test(
        "one that somebody has signed in to gets none, whatever is left of its ways to sign in, and its sessions",
        arguments: Beginning.allCases)
    func begun(how: Beginning) async throws {
        try await TestDeployment.open { deployment in
            try await Self.begin(how, deployment)
            #expect(try await Self.refusal(deployment)?.contains("idp user set-address") == true)
            try await deployment.stored.deleteAll(of: "account_identity", "passkey", "session", "sign_in_link")
            try await deployment.stored.accounts.setSignOuts(0)
            #expect(try await Self.refusal(deployment) != nil)
            let moved = SetAddress(Self.address, to: try EmailAddress("new@example.com"), reporting: Silent())
            _ = try await deployment.isChanged(by: moved)
            #expect(try await Self.refusal(deployment, "new@example.com") != nil)
        }
    }

    @Test("with no mail and all passkeys lost a new account takes the place of the old one, which nobody enters")
    func lost() async throws {
        try await TestDeployment.open(settings: ["IDP_REQUIRE": "phr"]) { deployment in
            let (first, lost) = (deployment.browser(), SoftwareAuthenticator())
            let add = try await first.follow(Self.press(deployment.printLink(for: Self.address), in: first))
            #expect(try await first.addPasskey(lost, on: add).status == 303)
            let before = try await deployment.accountID(Self.address)
            // Only the user knows that it is lost.
            #expect(try await Self.refusal(deployment)?.contains("idp user erase ann@example.com --now") == true)
            for passkey in try await deployment.stored.passkeys.ids() {
                _ = try await deployment.isChanged(by: RemovePasskey(passkey, of: Self.address, reporting: Silent()))
            }
            #expect(try await Self.refusal(deployment) != nil, "no command signs an operator in as another user")

            _ = try await deployment.isChanged(by: EraseUser(Self.address, .now))
            let (browser, authenticator) = (deployment.browser(), SoftwareAuthenticator())
            let link = try await deployment.printLink(for: Self.address)
            let page = try await browser.follow(Self.press(link, in: browser))
            #expect(try await browser.addPasskey(authenticator, on: page).status == 303)
            let asked = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "s")))
            let complete = try await browser.follow(browser.usePasskey(authenticator, on: asked))
            let redeemed = try await deployment.redeem(complete, as: deployment.client)
            #expect(redeemed.methods == ["passkey"])
            #expect(try await deployment.accountID(Self.address) != before, "services take it for a new user")
            let thief = deployment.browser()
            #expect(try await thief.usePasskey(lost, on: deployment.signInPage(thief)).status == 422)
        }
    }
}

extension TestDeployment {
    fileprivate func accountID(_ address: String) async throws -> String? {
        try await stored.accounts.of(address).ids().first
    }
}
