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
        let sql: String
        var testDescription: String { name }

        static let ofUser = [
            Change(name: "the session has ended", sql: "DELETE FROM session"),
            Change(name: "the account is disabled", sql: "UPDATE account SET disabled = 1"),
            Change(name: "all sign-ins were ended", sql: "UPDATE account SET sign_outs = sign_outs + 1"),
            Change(name: "the account is to be erased", sql: "UPDATE account SET erase_at = 4000000000000"),
            Change(name: "the account has ended", sql: "UPDATE account SET ends_at = 1"),
            Change(
                name: "the address may not sign in",
                sql: "UPDATE account SET email = 'ann@elsewhere.org', added_at = NULL"),
            Change(name: "the user has left the group", sql: "DELETE FROM group_member"),
        ]
        static let signedOut = Change(name: "the user is signed out", sql: "UPDATE session SET slots = '{}'")
        static let ofGrant = [
            Change(name: "the grant is used", sql: "UPDATE sso_token SET used_at = created_at"),
            Change(name: "the grant is void", sql: "UPDATE sso_token SET voided_at = created_at"),
            Change(name: "the grant has expired", sql: "UPDATE sso_token SET expires_at = created_at"),
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

    private static let ofClient = "client_id = 'partner-2'"

    private static func make(_ change: Change, _ deployment: TestDeployment) async throws {
        _ = try await deployment.database.write { try $0.execute(change.sql) }
    }

    @Test("is not issued once anything that it rests on is different", arguments: Change.ofUser + [Change.signedOut])
    func issue(change: Change) async throws {
        try await Self.open { deployment, interruption, browser in
            interruption.afterDecision(by: "FROM session") { try await Self.make(change, deployment) }
            let visit = try await browser.get(deployment.authorize(deployment.clients[1], state: "s"))
            #expect(!interruption.isWaiting)
            #expect(try await deployment.rows(of: "sso_token", where: Self.ofClient) == 0, "\(visit.status)")
            #expect(
                try await deployment.rows(of: "audit_event", where: "event = 'token_issued' AND \(Self.ofClient)") == 0)
        }
    }

    @Test(
        "is not redeemed once anything that it rests on is different, and is void or used for good",
        arguments: Change.ofUser + Change.ofGrant)
    func redeem(change: Change) async throws {
        try await Self.open { deployment, interruption, browser in
            let token = try await browser.token(for: deployment.clients[1], of: deployment)
            interruption.afterDecision(by: "sso_token") { try await Self.make(change, deployment) }
            let reply = try await deployment.verify(token, as: deployment.clients[1])
            #expect(!interruption.isWaiting && reply.status == 401 && reply.error == "invalid_token")
            #expect(try await deployment.rows(of: "client_sign_in") == 0)
            #expect(
                try await deployment.rows(of: "audit_event", where: "event = 'token_redeemed' AND \(Self.ofClient)")
                    == 0)
        }
    }

    @Test("is issued and redeemed by what is there then, where that is different and still enough")
    func decidedAgain() async throws {
        try await Self.open { deployment, interruption, browser in
            let renamed = Change(name: "another address", sql: "UPDATE account SET email = 'anna@example.com'")
            let changed = Change(
                name: "the clients were changed",
                sql: "INSERT INTO registry_revision (part, revision) VALUES ('clients', 900)")
            let told = Change(
                name: "another grant was redeemed",
                sql: """
                    INSERT INTO client_sign_in (session_handle, client_id, kind, told_session, account_id, first_used_at, last_used_at)
                    SELECT session_handle, client_id, kind, 'ses_told', account_id, 0, 0 FROM sso_token
                     WHERE client_id = 'partner-2'
                    """)
            interruption.afterDecision(by: "FROM session") { try await Self.make(changed, deployment) }
            let token = try await browser.token(for: deployment.clients[1], of: deployment)
            #expect(!interruption.isWaiting)

            interruption.afterDecision(by: "sso_token") {
                try await Self.make(renamed, deployment)
                try await Self.make(told, deployment)
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
