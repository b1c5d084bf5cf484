import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPMail
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Who has a role, and who is told.
@Suite("Roles of the admin pages", .program, .alsoOnPostgres)
struct AdminRoleTests {
    @Test("the last admin stays, unless the command is forced; the setting's stay always")
    func lastAdmin() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.adminBrowser(as: "ann@example.com")
            try await deployment.grant(.admin, to: "ann@example.com")
            let eligibility = SignInEligibility(
                allowed: try AllowedEmails("*@example.com"), clock: deployment.clock.clock)
            func revoke(named: String = "", forced: Bool = false) throws -> RevokeRole {
                RevokeRole(
                    .admin, of: "ann@example.com", named: try AdminAddresses(named), eligibility, isForced: forced)
            }
            #expect(try await deployment.refusal(of: revoke())?.contains("last admin") == true)
            #expect(
                try await deployment.refusal(of: revoke(named: "ann@example.com", forced: true))?
                    .contains("IDP_ADMINS") == true)
            #expect(try await deployment.refusal(of: revoke(forced: true)) == nil)
            #expect(try await deployment.auditRows(.roleChanged).map(\.cause) == ["granted", "revoked"])
        }
    }

    @Test("a role counts in an account with a proven mailbox or a passkey, and not by a printed link alone")
    func counts() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.printLink(for: "ann@example.com")
            try await deployment.grant(.admin, to: "ann@example.com")
            func role() async throws -> AdminRole? {
                let account = try await deployment.account("ann@example.com")
                return try await deployment.database.read {
                    try RoleStore.role(of: account, named: AdminAddresses("ann@example.com"), $0)
                }
            }
            #expect(try await role() == nil)
            _ = try await deployment.adminBrowser(as: "ann@example.com")
            #expect(try await role() == .admin)
        }
    }

    @Test("no admin changes their own role on a page, and grants and revokes those of others")
    func onPages() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.adminBrowser(as: "ben@example.com")
            let browser = try await deployment.adminBrowser()
            let own = try await deployment.question(
                browser, "/admin/roles/grant", ["address": TestDeployment.admin, "role": "auditor"])
            #expect(own.status == 403)
            let made = try await deployment.make(
                browser, "/admin/roles/grant", ["address": "ben@example.com", "role": "admin"])
            #expect(made.status == 303)
            let page = try await browser.follow(made)
            #expect(page.text.contains("ben@example.com") && page.text.contains("IDP_ADMINS"))
            let id = try await deployment.account("ben@example.com").id
            #expect(try await deployment.make(browser, "/admin/roles/\(id)/revoke-admin").status == 303)
            #expect(try await deployment.auditRows(.roleChanged).map(\.cause) == ["granted", "revoked"])
        }
    }

    @Test("an erased account has no role, and its successor has none")
    func erased() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.adminBrowser(as: "ann@example.com")
            try await deployment.grant(.auditor, to: "ann@example.com")
            try await deployment.isChanged(by: EraseUser("ann@example.com", .now))
            #expect(try await deployment.database.read { try RoleStore.all($0) }.isEmpty)
        }
    }

    @Test("all admins are told of a command's change at once, and of further ones together after five minutes")
    func told() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.adminBrowser()
            _ = try await deployment.adminBrowser(as: "second@example.org")
            _ = try await deployment.adminBrowser(as: "ben@example.com")
            let notices = try deployment.notices()
            try await notices.round()
            func emails(_ address: String) -> [String] {
                deployment.mailbox.all(to: address).map { $0.text.decodingQuotedPrintable() }
                    .filter { $0.contains("role_changed") }
            }
            // The running program tells at any moment, too: what counts is how often something was told.
            func batches() async throws -> [Int] {
                try await notices.round()
                return try await deployment.stored.adminNotices.batches()
            }
            try await deployment.grant(.auditor, to: "ben@example.com")
            #expect(try await batches() == [1])
            for address in [TestDeployment.admin, "second@example.org"] {
                _ = try await eventually("an email to \(address)") { emails(address).isEmpty ? nil : true }
            }
            try await deployment.grant(.admin, to: "ben@example.com")
            try await deployment.revoke(.auditor, of: "ben@example.com")
            deployment.clock.advance(by: .minutes(4))
            #expect(try await batches() == [1], "collected")
            deployment.clock.advance(by: .minutes(1))
            #expect(try await batches() == [1, 2])
            #expect(try await batches() == [1, 2], "told once")
            _ = try await eventually("the second email") { emails(TestDeployment.admin).count == 2 ? true : nil }
            #expect(emails(TestDeployment.admin).contains { $0.contains("revoked") && $0.contains("granted") })
        }
    }

    @Test("no change of many within five minutes is left out: an email takes 200, and the next ones the others")
    func toldOfAll() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.adminBrowser()
            _ = try await deployment.signedIn(as: "ben@example.com")
            let notices = try deployment.notices()
            try await notices.round()
            try await deployment.grant(.auditor, to: "ben@example.com")
            try await notices.round()
            for _ in 0..<210 {
                try await deployment.revoke(.auditor, of: "ben@example.com")
                try await deployment.grant(.auditor, to: "ben@example.com")
            }
            for batches in [[1, 200], [1, 200, 200], [1, 20, 200, 200], [1, 20, 200, 200]] {
                deployment.clock.advance(by: .minutes(5))
                try await notices.round()
                #expect(try await deployment.stored.adminNotices.batches().sorted() == batches)
            }
        }
    }

    @Test(
        "an email of many changes lists the newest for which 8 KiB have room, and counts what the audit log has beside")
    func toldOfMany() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.adminBrowser()
            _ = try await deployment.signedIn(as: "ben@example.com")
            try await deployment.notices().round()
            try await deployment.grant(.auditor, to: "ben@example.com")
            // The first change is told at once.
            try await deployment.notices().round()
            for _ in 0..<50 {
                try await deployment.revoke(.auditor, of: "ben@example.com")
                try await deployment.grant(.auditor, to: "ben@example.com")
            }
            try await deployment.revoke(.auditor, of: "ben@example.com")
            deployment.clock.advance(by: .minutes(5))
            try await deployment.notices().round()
            let email = try await eventually("the email of many") {
                deployment.mailbox.all(to: TestDeployment.admin).map(\.text)
                    .first { $0.decodingQuotedPrintable().contains("101 changes by admins") }
            }
            #expect(email.utf8.count <= 8 << 10, "\(email.utf8.count)")
            let words = email.decodingQuotedPrintable()
            // Each change stands in both forms of the email, and so does how many more there are.
            let listed = words.split(separator: "role_changed").count / 2
            #expect((5...40).contains(listed), "\(listed)")
            #expect(words.split(separator: "\(101 - listed) earlier changes are in the audit log.").count == 3)
            let newest = try #require(words.split(separator: "role_changed: ").dropFirst().first)
            #expect(newest.contains("revoked"), "\(newest)")
        }
    }

    @Test("a change of a page is told with its answer, and a change of a name is not told")
    func toldByPage() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.adminBrowser(as: "second@example.org")
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            try await deployment.notices().round()
            let home = try await deployment.userPath("ann@example.com")
            _ = try await deployment.make(browser, home + "/name", ["name": "Ann Example"])
            _ = try await deployment.make(
                browser, "/admin/roles/grant", ["address": "ann@example.com", "role": "admin"])
            let email = try await eventually("an email to the other admin") {
                deployment.mailbox.all(to: "second@example.org").map { $0.text.decodingQuotedPrintable() }
                    .first { $0.contains("role_changed") }
            }
            #expect(email.contains("ann@example.com") && email.contains(TestDeployment.admin))
            #expect(!email.contains("user_changed"))
        }
    }
}

extension TestDeployment {
    /// What a running IdP tells admins by.
    func notices() throws -> AdminNotices {
        let services = IdPServices(
            ProgramServices(
                database: database, clock: clock.clock, logger: log.logger("idp"),
                pages: try BuiltInPages.idp(Brand(idp.settings))),
            mailer: OutboxMailer(folder: mailbox.folder), devPages: dev)
        return try IdPFeatures(idp.settings, services, adding: .init()).adminNotices
    }
}
