import IdPAccounts
import IdPAuthorization
import IdPFlow
import IdPMail
import IdPSignIn
import IdPSignOut
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// ASVS 16.2.
@Suite("The audit log records what happens", .program)
struct AuditRowsTests {
    @Test(
        "a login has one row for the email, the sign-in, the token and its use, each with who, where and for which flow"
    )
    func login() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let token = try await browser.token(for: deployment.client, of: deployment, state: "again")
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)

            // The email's end is written by the queue, before the sign-in or after it.
            let all = try await deployment.auditRows().filter { $0.event != "mail_sent" }
            // The sign-in has led to a token, and the browser has asked for another one.
            #expect(
                all.map(\.event) == ["mail_queued", "signed_in", "token_issued", "token_issued", "token_redeemed"])
            let rows = Array(all.prefix(2) + all.suffix(2))
            try #require(rows.count == 4)
            let account = try #require(rows[1].account)
            #expect(rows[0].address == "a…@example.com" && rows[0].actor == "visitor" && rows[0].account == nil)
            #expect(rows[1].actor == "user:\(account)" && rows[1].detail == "email_code")
            #expect(rows[2].account == account && rows[3].account == account)
            #expect(rows[2].client == deployment.client.id && rows[3].actor == "client:\(deployment.client.id)")
            #expect(rows[1].session == rows[2].session && rows[2].session == rows[3].session)
            #expect(rows[2].flow != nil && rows[2].flow == rows[3].flow)
            for row in rows {
                #expect(row.network == "127.0.0.0/24" && row.reference?.utf8.count == 8 && row.count == nil)
            }
            #expect(rows.map(\.at) == rows.map(\.at).sorted())
        }
    }

    @Test("a refused token has a row with its cause and the account it was for, also where another client presented it")
    func refusedTokens() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = try await deployment.signedIn()
            let token = try await browser.token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.clients[1]).status == 401)
            let used = try await browser.token(for: deployment.client, of: deployment, state: "other")
            #expect(try await deployment.verify(used, as: deployment.client).status == 200)
            #expect(try await deployment.verify(used, as: deployment.client).status == 401)

            let (rows, account) = (
                try await deployment.auditRows(.verifyRefused), try await deployment.auditRows(.signedIn)
            )
            #expect(rows.map(\.cause) == ["token_of_other_client", "used"])
            try #require(rows.count == 2)
            #expect(rows.map(\.client) == [deployment.clients[1].id, deployment.client.id])
            #expect(rows[0].detail == deployment.client.id)
            #expect(rows.allSatisfy { $0.account == account.first?.account && $0.session == account.first?.session })
        }
    }

    @Test("refusals without a transaction have a row as well, and text of anybody is not kept")
    func otherRefusals() async throws {
        try await TestDeployment.open { deployment in
            let body = VerifyRequest(token: "sst_x", redirectURI: nil).body()
            let wrong = [
                ("Content-Type", "application/json"), ("X-SSO-Client", "No Client"),
                ("X-SSO-Signature", "sha256=" + String(repeating: "0", count: 64)),
            ]
            _ = try await deployment.backChannel(body, wrong)
            let refused = try await deployment.auditRows(.verifyRefused, untilThereAre: 1)
            #expect(refused.map(\.cause) == ["client_unknown"] && refused.map(\.client) == [nil])

            let address = deployment.origin + "/auth/sso/authorize?client_id=nobody&redirect_uri=x&state=s"
            #expect(try await deployment.browser().get(address).status == 400)
            #expect(
                try await deployment.auditRows(.authorizeRefused, untilThereAre: 1).map(\.cause) == [
                    "client_id_unknown"
                ])

            let asking = try await deployment.asking("ann@example.com")
            _ = try await asking.guess(asking.code == "000000" ? "000001" : "000000")
            let rejected = try await deployment.auditRows(.codeRejected, untilThereAre: 1)
            #expect(rejected.map(\.cause) == ["wrong"] && rejected.first?.session != nil)
        }
    }

    @Test("an end of a session has a row: by the user, and by another account in the browser")
    func ends() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let home = try await browser.get(deployment.origin + "/")
            let form = try home.page().form(to: "/sign-out")
            #expect(try await browser.submit(form, on: home).status == 303)
            let rows = try await deployment.auditRows(.signedIn, .signedOut)
            try #require(rows.map(\.event) == ["signed_in", "signed_out"])
            #expect(rows[0].session == rows[1].session && rows[0].account == rows[1].account)
            #expect(rows[1].actor == rows[0].actor)
        }
    }

    @Test("a change of the name has a row, and one to the same name has none")
    func rename() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            for _ in 1...2 { #expect(try await browser.rename(at: deployment, to: "Ann").status == 303) }
            let rows = try await deployment.auditRows(.userChanged)
            #expect(rows.map(\.cause) == ["name"] && rows.first?.actor == "user:\(rows.first?.account ?? "")")
        }
    }

    /// Threat: an action without its row (pocket-id #854).
    @Test("where the row cannot be written, nothing happens: no sign-in, no token, none redeemed, no change by command")
    func sameTransaction() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let token = try await browser.token(for: deployment.client, of: deployment)
            let asking = try await deployment.asking("bob@example.com")
            let tokens = try await deployment.rows(of: "sso_token")
            try await deployment.stored.refuseRows(in: "audit_event")

            #expect(try await asking.guess(asking.code).status >= 500)
            #expect(try await deployment.stored.accounts.of("bob@example.com").count() == 0)
            #expect(try await browser.get(deployment.authorize(deployment.client, state: "second")).status >= 500)
            #expect(try await deployment.rows(of: "sso_token") == tokens)
            #expect(try await deployment.verify(token, as: deployment.client).status == 503)
            await #expect(throws: (any Error).self) {
                try await deployment.change(DisableUser("ann@example.com"))
            }

            try await deployment.stored.takeRows(in: "audit_event")
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
        }
    }

    @Test("a change by command names the system user, and one that changes nothing has no row")
    func command() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            let actor = AuditActor.command(user: "root", sudo: "ann")
            let address = "ann@example.com"
            let changes: [any OperatorChange] = [
                SignOutUser(address), SignOutUser(address), DisableUser(address), DisableUser(address),
                EnableUser(address), EnableUser(address),
            ]
            var isChanged: [Bool] = []
            for change in changes { isChanged.append(try await deployment.isChanged(by: change, of: actor)) }
            #expect(isChanged == [true, false, true, false, true, false])
            let rows = try await deployment.audit.page(AuditSearch()).filter { $0.event == "user_changed" }
            #expect(Set(rows.map(\.cause)) == ["disabled", "enabled", "signed_out"] && rows.count == 3)
            #expect(try await deployment.auditRows(.sessionEnded).count == 1, "nothing was open when it was disabled")
            #expect(rows.allSatisfy { $0.actor == "command:root sudo:ann" && $0.network == nil })
        }
    }

    /// Threat: the audit log as a list of addresses and secrets.
    @Test("no row holds a full address, a code, a token or a cookie")
    func secrecy() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let asking = try await deployment.asking("somebody@example.com", by: browser)
            #expect(try await asking.guess(asking.code).status == 303)
            _ = try await deployment.waiting(for: "stray@nowhere.org", by: deployment.browser())
            let token = try await browser.token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            let text = try await deployment.auditRows().map { AuditOutput.json(AuditLine(entry: $0, user: nil)) }
                .joined()
            #expect(text.contains("s…@example.com") && text.contains("s…@nowhere.org"))
            for secret in ["somebody", "stray@", asking.code, token, "127.0.0.1"] { #expect(!text.contains(secret)) }
        }
    }

    @Test(
        "a token costs one statement of the audit log when it is issued, and one when it is redeemed or refused with a count"
    )
    func statements() async throws {
        var recorded: RecordingDatabase?
        func wrap(_ database: any Database) -> any Database {
            let wrapped = RecordingDatabase(database)
            recorded = wrapped
            return wrapped
        }
        try await TestDeployment.open(wrapping: wrap) { deployment in
            let database = try #require(recorded)
            let browser = try await deployment.signedIn()
            // The row of the email, too, is no longer to come.
            _ = try await deployment.auditRows(.mailSent, untilThereAre: 1)
            func ofAudit(_ body: () async throws -> Void) async throws -> Int {
                _ = database.takeStatements()
                try await body()
                return database.takeStatements().count { $0.contains("INSERT INTO audit_event") }
            }
            var token = ""
            let ofIssue = try await ofAudit { token = try await browser.token(for: deployment.client, of: deployment) }
            #expect(ofIssue == 1)
            var statuses: [Int] = []
            for rows in [1, 2] {
                let statements = try await ofAudit {
                    statuses.append(try await deployment.verify(token, as: deployment.client).status)
                }
                #expect(statements == rows)
            }
            #expect(statuses == [200, 401])
        }
    }
}
