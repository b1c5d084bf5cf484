import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Importing many users", .program, .alsoOnPostgres)
struct LargeImportTests {
    @Test("as many new users as docs/operations.md names are imported in one transaction")
    func many() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.makeGroups(["staff"])
            let users = (1...1000).map { "user\($0)@elsewhere.org,staff\n" }.joined()
            let change = ImportUsers(ImportFile(Array("email,groups\n\(users)".utf8)), .init(), mail: nil)
            #expect(try await deployment.change(change).result.emails(.add).count == 1000)
            #expect(try await deployment.rows(of: "group_member") == 1000)
            #expect(try await !deployment.isChanged(by: change))
        }
    }
}

@Suite("Importing users", .program)
struct ImportTests {
    private static func change(
        _ text: String, syncs: Bool = false, atMost: Int? = nil, invites: Bool = false, _ deployment: TestDeployment
    ) -> ImportUsers {
        var options = ImportPlan.Options()
        (options.syncs, options.disableAtMost, options.invites) = (syncs, atMost, invites)
        return ImportUsers(ImportFile(Array(text.utf8)), options, mail: invites ? deployment.invitationMail : nil)
    }

    private static func file(_ names: some Sequence<Int>) -> String {
        "email\n" + names.map { "user\($0)@elsewhere.org\n" }.joined()
    }

    @Test("adds users who may sign in, sends nothing, and changes nothing when it is run again")
    func twice() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.makeGroups(["staff", "finance"])
            let text = """
                email,name,groups,until
                ann@elsewhere.org,"Miller, Ann",staff;finance,2099-06-30
                bob@elsewhere.org,,,

                """
            let first = try await deployment.change(Self.change(text, deployment))
            #expect(first.isChanged && first.result.emails(.add) == ["ann@elsewhere.org", "bob@elsewhere.org"])
            let rows = try await deployment.rows(of: "audit_event")
            let second = try await deployment.change(Self.change(text, deployment))
            #expect(!second.isChanged && second.result.unchanged == 2 && second.result.steps.isEmpty)
            #expect(try await deployment.rows(of: "audit_event") == rows)
            #expect(try await deployment.rows(of: "mail_queue") == 0)
            let ann = try #require(try await deployment.listed("ann@elsewhere.org"))
            #expect(ann.account.name == "Miller, Ann" && ann.account.endsAt == EndDate.read("2099-06-30"))
            #expect(ann.state == .added)
            #expect(try await deployment.rows(of: "group_member") == 2)
            let asking = try await deployment.asking("bob@elsewhere.org")
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("updates end dates and groups of users who are there, and never a name or who is disabled")
    func updates() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.makeGroups(["staff"])
            _ = try await deployment.signedIn()
            try await deployment.change(DisableUser("ann@example.com"))
            let text = "email,name,groups,until\nann@example.com,Other,staff,2099-01-31\n"
            let plan = try await deployment.change(Self.change(text, deployment)).result
            #expect(plan.emails(.update) == ["ann@example.com"] && plan.stillDisabled == ["ann@example.com"])
            #expect(plan.steps.first?.details == ["imported", "+staff", "until 2099-01-31"])
            let row = try #require(try await deployment.listed("ann@example.com"))
            #expect(row.account.name == "ann" && row.state == .disabled && row.account.addedAt != nil)
            let open = "email,until\nann@example.com,\n"
            #expect(try await deployment.isChanged(by: Self.change(open, deployment)))
            #expect(try await deployment.listed("ann@example.com")?.account.endsAt == nil)
        }
    }

    @Test("a file with one fault changes nothing; the database's faults have their lines among the file's")
    func wholeFile() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            try await deployment.change(EraseUser("ann@example.com"))
            let text = """
                email,groups,until
                one@elsewhere.org,,
                two@elsewhere.org,nobody,bad
                three,,
                ann@example.com,,
                five@elsewhere.org,,2001-01-01

                """
            do {
                try await deployment.change(Self.change(text, deployment))
                Issue.record("it was imported")
            } catch let faults as ImportUsers.Faults {
                #expect(faults.faults.map(\.line) == [3, 3, 4, 5, 6])
            }
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test("an end date that was set before may be over: a nightly run does not fail because of it")
    func overdue() async throws {
        try await TestDeployment.open { deployment in
            let end = EndDate.text(deployment.clock.now + .days(2))
            let text = "email,until\nann@elsewhere.org,\(end)\n"
            try await deployment.change(Self.change(text, deployment))
            deployment.clock.advance(by: .days(5))
            #expect(try await !deployment.isChanged(by: Self.change(text, deployment)))
        }
    }

    /// Threat: an import that empties the company.
    @Test("--sync disables imported users alone, and more than 5 % and more than 5 only when told so")
    func sync() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            try await deployment.change(Self.change(Self.file(1...100), deployment))
            let few = try await deployment.change(Self.change(Self.file(6...100), syncs: true, deployment))
            #expect(few.result.emails(.disable).count == 5, "5 of 100")
            #expect(try await deployment.listed("user1@elsewhere.org")?.state == .disabled)
            #expect(try await deployment.listed("ann@example.com")?.state == .active, "never imported")
            #expect(try await !deployment.isChanged(by: Self.change(Self.file(6...100), syncs: true, deployment)))

            let cut = Self.file(12...100)
            let refusal = try await deployment.refusal(of: Self.change(cut, syncs: true, deployment))
            #expect(
                refusal?.contains("would disable 6 of 95") == true && refusal?.contains("--disable-at-most 6") == true)
            #expect(
                try await deployment.refusal(of: Self.change(cut, syncs: true, atMost: 5, deployment)) != nil)
            #expect(try await deployment.stored.accounts.disabled.count() == 5)
            let told = try await deployment.change(Self.change(cut, syncs: true, atMost: 6, deployment))
            #expect(told.result.emails(.disable).count == 6)
            #expect(
                try await deployment.stored.audit.cause("disabled").detail("import").count() == 11)
        }
    }

    @Test(
        "of ten users five may be missing, and six may not: both bounds must be passed; of five not all",
        arguments: [(10, 5, true), (10, 6, false), (5, 4, true), (5, 5, false)])
    func smallCompany(of count: Int, missing: Int, isDone: Bool) async throws {
        try await TestDeployment.open { deployment in
            try await deployment.change(Self.change(Self.file(1...count), deployment))
            let sync = Self.change(Self.file((1...count).dropFirst(missing)), syncs: true, deployment)
            #expect((try await deployment.refusal(of: sync) == nil) == isDone)
        }
    }

    @Test("--invite sends to those who have not signed in and were not invited, once; more than a day's are refused")
    func invites() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.change(Self.change(Self.file(1...2), deployment))
            let plan = try await deployment.change(Self.change(Self.file(1...3), invites: true, deployment)).result
            #expect(plan.invited.count == 3 && plan.emails(.add).count == 1 && plan.emails(.invite).count == 2)
            #expect(try await !deployment.isChanged(by: Self.change(Self.file(1...3), invites: true, deployment)))
            #expect(try await deployment.rows(of: "invitation") == 3)
            let refusal = try await deployment.refusal(of: Self.change(Self.file(1...501), invites: true, deployment))
            #expect(refusal?.contains("would send 498 invitations, and 497 more") == true)
            #expect(try await deployment.rows(of: "account") == 3)
        }
    }

    @Test("--invite sends nothing to a user who began by a printed link, and has no other way to sign in yet")
    func begun() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.change(Self.change(Self.file(1...2), deployment))
            try await deployment.stored.accounts.first.setBegun()
            let plan = try await deployment.change(Self.change(Self.file(1...2), invites: true, deployment)).result
            #expect(plan.invited.count == 1)
            #expect(try await deployment.rows(of: "invitation") == 1)
        }
    }

    @Test("a plan changes nothing")
    func plan() async throws {
        try await TestDeployment.open { deployment in
            let change = Self.change(Self.file(1...3), deployment)
            let now = deployment.clock.now
            let plan = try await deployment.database.read { try change.plan(at: now, $0) }
            #expect(plan.emails(.add).count == 3)
            #expect(try await deployment.rows(of: "account") == 0)
        }
    }
}
