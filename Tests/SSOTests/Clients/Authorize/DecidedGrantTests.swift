import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import Storage
@testable import TestKit
@testable import WebTestKit

/// On SQLite a grant is decided by what a reader sees, before the transaction of the writer.
@Suite("A grant that was decided before its transaction", .program)
struct DecidedGrantTests {
    /// What somebody else changes between the decision and the transaction.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let make: @Sendable (StoredRows) async throws -> Void
        var testDescription: String { name }

        static let ofUser = [
            Change(name: "the session has ended") { try await $0.sessions.delete() },
            Change(name: "the account is disabled") { try await $0.accounts.disable() },
            Change(name: "all sign-ins were ended") { try await $0.accounts.endSignIns() },
            Change(name: "the account is to be erased") {
                try await $0.accounts.erase(at: Timestamp(milliseconds: 4_000_000_000_000))
            },
            Change(name: "the account has ended") { try await $0.accounts.end(at: Timestamp(milliseconds: 1)) },
            Change(name: "the address may not sign in") {
                try await $0.accounts.setAddress("ann@elsewhere.org")
                try await $0.accounts.setNotAdded()
            },
            Change(name: "the user has left the group") { try await $0.memberships.delete() },
        ]
        static let signedOut = Change(name: "the user is signed out") { try await $0.sessions.setSlots("{}") }
        static let ofGrant = [
            Change(name: "the grant is used") { try await $0.grants.use() },
            Change(name: "the grant is void") { try await $0.grants.void() },
            Change(name: "the grant has expired") { try await $0.grants.expire() },
        ]
    }

    /// A deployment with a signed-in user who may enter, whose readers read at once.
    private static func open(
        _ body: (TestDeployment, Interruption, Browser) async throws -> Void
    ) async throws {
        let interruption = Interruption()
        try await TestDeployment.open(
            clients: 2, keys: ["access: everyone", "groups: [staff]"], wrapping: { interruption.wrapping($0) }
        ) {
            deployment in
            let browser = try await deployment.signedIn()
            try await deployment.makeGroups(["staff"], members: ["ann@example.com"])
            // Looks at the file, which a reader at once does not.
            _ = try await deployment.database.read { _ in true }
            _ = try await eventually("a reader is open") { try deployment.database.readAtOnce { _ in true } }
            try await body(deployment, interruption, browser)
        }
    }

    private static let client = "partner-2"

    @Test("is not issued once anything that it rests on is different", arguments: Change.ofUser + [Change.signedOut])
    func issue(change: Change) async throws {
        try await Self.open { deployment, interruption, browser in
            interruption.afterDecision(by: "FROM session") { try await change.make(deployment.stored) }
            let visit = try await browser.get(deployment.authorize(deployment.clients[1], state: "s"))
            #expect(!interruption.isWaiting)
            #expect(try await deployment.stored.grants.of(client: Self.client).count() == 0, "\(visit.status)")
            #expect(
                try await deployment.stored.audit.of("token_issued").at(client: Self.client).count() == 0)
        }
    }

    @Test(
        "is not redeemed once anything that it rests on is different, and is void or used for good",
        arguments: Change.ofUser + Change.ofGrant)
    func redeem(change: Change) async throws {
        try await Self.open { deployment, interruption, browser in
            let token = try await browser.token(for: deployment.clients[1], of: deployment)
            interruption.afterDecision(by: "sso_token") { try await change.make(deployment.stored) }
            let reply = try await deployment.verify(token, as: deployment.clients[1])
            #expect(!interruption.isWaiting && reply.status == 401 && reply.error == "invalid_token")
            #expect(try await deployment.rows(of: "client_sign_in") == 0)
            #expect(
                try await deployment.stored.audit.of("token_redeemed").at(client: Self.client).count()
                    == 0)
        }
    }

    @Test("is issued and redeemed by what is there then, where that is different and still enough")
    func decidedAgain() async throws {
        try await Self.open { deployment, interruption, browser in
            interruption.afterDecision(by: "FROM session") { try await deployment.stored.registryRevisions.add(900) }
            let token = try await browser.token(for: deployment.clients[1], of: deployment)
            #expect(!interruption.isWaiting)

            interruption.afterDecision(by: "sso_token") {
                try await deployment.stored.accounts.setAddress("anna@example.com")
                try await deployment.stored.clientSignIns.addForGrant(of: Self.client, telling: "ses_told")
            }
            let reply = try await deployment.verify(token, as: deployment.clients[1])
            #expect(!interruption.isWaiting && reply.status == 200)
            let verified = try VerifyReply(body: reply.body)
            #expect(verified.user.email == "anna@example.com" && verified.session.id == "ses_told")
        }
    }

    @Test("is redeemed once, of any number that were decided at the same time")
    func once() async throws {
        try await Self.open { deployment, _, browser in
            let token = try await browser.token(for: deployment.clients[1], of: deployment)
            let replies = try await atOnce(20) { _ in
                try await deployment.verify(token, as: deployment.clients[1]).status
            }
            #expect(replies.count { $0 == 200 } == 1 && replies.count { $0 == 401 } == 19)
        }
    }
}
