import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The lifetime of a token", .program, .alsoOnPostgres)
struct TokenLifeTests {
    @Test(
        "five minutes, to the second", arguments: [(0, true), (299, true), (300, false), (301, false), (7000, false)])
    func lifetime(_ seconds: Int, _ isGood: Bool) async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            deployment.clock.advance(by: .seconds(seconds))
            let reply = try await deployment.verify(token, as: deployment.client)
            #expect(reply.status == (isGood ? 200 : 401))
            #expect(reply.error == (isGood ? nil : "invalid_token"))
        }
    }

    @Test("a clock that steps back revives no token, and extends no token's lifetime")
    func clockStepsBack() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedIn()
            let used = try await ann.token(for: deployment.client, of: deployment, state: "used")
            #expect(try await deployment.verify(used, as: deployment.client).status == 200)
            let fresh = try await ann.token(for: deployment.client, of: deployment, state: "fresh")
            deployment.clock.advance(by: .seconds(-3600))
            // From the future: made while the clock was wrong.
            #expect(try await deployment.verify(fresh, as: deployment.client).status == 401)
            #expect(try await deployment.verify(used, as: deployment.client).status == 401)
        }
    }

    @Test("a token that was answered as expired stays so when the clock is set back")
    func expiredThenRewound() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            deployment.clock.advance(by: .seconds(300))
            for _ in 1...3 {
                let reply = try await deployment.verify(token, as: deployment.client)
                #expect(reply.status == 401 && reply.explanation?.contains("has expired") == true, "\(reply.text)")
                deployment.clock.advance(by: .seconds(-60))
            }
        }
    }

    /// ASVS 7.4.1.
    @Test("signing out voids every unredeemed token")
    func signOut() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedIn()
            let tokens = [
                try await ann.token(for: deployment.client, of: deployment, state: "1"),
                try await ann.token(for: deployment.client, of: deployment, state: "2"),
            ]
            let bob = try await deployment.signedIn(as: "bob@example.com").token(for: deployment.client, of: deployment)
            let home = try await ann.get(deployment.origin + "/")
            #expect(try await ann.submit(home.page().form(to: "/sign-out"), on: home).status == 303)
            for token in tokens {
                #expect(try await deployment.verify(token, as: deployment.client).error == "invalid_token")
            }
            #expect(try await deployment.verify(bob, as: deployment.client).status == 200)
        }
    }

    /// What happens to the account and the sessions of a user.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (TableRows<AccountTable>, TableRows<SessionTable>) async throws -> Void

        init(
            _ name: String,
            _ make: @escaping @Sendable (TableRows<AccountTable>, TableRows<SessionTable>) async throws -> Void
        ) {
            (testDescription, self.make) = (name, make)
        }
    }

    /// ASVS 7.4.2.
    @Test(
        "a disabled or deleted account, and an ended session, void their tokens",
        arguments: [
            Change("disabled account") { account, _ in try await account.disable() },
            Change("deleted account") { account, _ in try await account.delete() },
            Change("ended session") { _, sessions in try await sessions.delete() },
            Change("expired session") { _, sessions in try await sessions.expire() },
        ])
    func voided(_ change: Change) async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let bob = try await deployment.signedIn(as: "bob@example.com").token(for: deployment.client, of: deployment)
            let account = deployment.stored.accounts.of("ann@example.com")
            let id = try #require(try await account.ids().first)
            try await change.make(account, deployment.stored.sessions.holding(id))
            let reply = try await deployment.verify(ann, as: deployment.client)
            #expect(reply.error == "invalid_token")
            #expect(reply.explanation?.contains("has signed out") == true, "\(reply.text)")
            #expect(try await deployment.verify(bob, as: deployment.client).status == 200)
        }
    }

    @Test("a disabled user gets no new token either")
    func disabledBeforeIssue() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedIn()
            try await deployment.stored.accounts.disable()
            let visit = try await ann.get(deployment.authorize(deployment.client, state: "s"))
            #expect(visit.status == 303 && !visit.text.contains("sst_"))
        }
    }

    @Test("reloading the page issues another token and voids the previous one: one is valid per flow")
    func oneValid() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedIn()
            var tokens: [String] = []
            for _ in 1...5 { tokens.append(try await ann.token(for: deployment.client, of: deployment, state: "same")) }
            let other = try await ann.token(for: deployment.client, of: deployment, state: "other tab")
            #expect(Set(tokens).count == 5)
            for token in tokens.dropLast() {
                #expect(try await deployment.verify(token, as: deployment.client).error == "invalid_token")
            }
            #expect(try await deployment.verify(tokens[4], as: deployment.client).status == 200)
            #expect(try await deployment.verify(other, as: deployment.client).status == 200)
        }
    }

    @Test("after any number of reloads at one instant, one token is valid")
    func oneValidOfMany() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedIn()
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...20 {
                    group.addTask { try await ann.twin().token(for: deployment.client, of: deployment, state: "s") }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 20)
            #expect(try await deployment.stored.grants.open.count() == 2)
            var accepted = 0
            for token in tokens where try await deployment.verify(token, as: deployment.client).status == 200 {
                accepted += 1
            }
            #expect(accepted == 1)
        }
    }
}
