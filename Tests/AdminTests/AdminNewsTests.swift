import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPAccounts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Which changes all admins are told of, and who else is.
@Suite("What all admins are told", .program, .alsoOnPostgres)
struct AdminNewsTests {
    private static let (ann, ben, second) = ("ann@example.com", "ben@example.com", "second@example.org")

    /// Two admins of the setting, one by a grant, and a user. Everything is told, and nothing is collected.
    private static func open(_ body: (TestDeployment, Browser) async throws -> Void) async throws {
        try await TestDeployment.openAdmin { deployment in
            for address in [second, ann, ben] { _ = try await deployment.adminBrowser(as: address) }
            try await deployment.grant(.admin, to: ann)
            for _ in 0..<3 {
                deployment.clock.advance(by: .minutes(6))
                try await deployment.notices().round()
            }
            try await body(deployment, deployment.adminBrowser())
        }
    }

    private static func emails(_ deployment: TestDeployment, to address: String) -> [String] {
        deployment.mailbox.all(to: address).map { $0.text.decodingQuotedPrintable() }
    }

    enum KeepingOut: String, CaseIterable, Sendable {
        case disable, endDate = "end-date", imported, erase, revoke

        /// What the email says of it.
        var words: String {
            switch self {
            case .disable: "disabled"
            case .endDate: "end_date"
            case .imported: "imported"
            case .erase: "erase_requested"
            case .revoke: "revoked"
            }
        }

        func make(_ address: String, _ deployment: TestDeployment, _ browser: Browser) async throws -> Visit {
            let home = try await deployment.userPath(address)
            switch self {
            case .endDate: return try await deployment.make(browser, "\(home)/end-date", ["date": "2030-01-01"])
            case .erase: return try await deployment.make(browser, "\(home)/erase", typing: address)
            case .imported:
                let csv = "email,until\n\(address),2030-01-01"
                return try await deployment.make(browser, "/admin/users/import", ["csv": csv])
            case .revoke:
                return try await deployment.make(
                    browser, "/admin/roles/\(deployment.account(address).id)/revoke-admin")
            case .disable: return try await deployment.make(browser, "\(home)/disable")
            }
        }
    }

    @Test(
        "all admins are told of one who is kept out, and so is that one; nobody is of a user",
        arguments: KeepingOut.allCases)
    func keptOut(_ what: KeepingOut) async throws {
        try await Self.open { deployment, browser in
            if what != .revoke { #expect(try await what.make(Self.ben, deployment, browser).status == 303) }
            #expect(try await what.make(Self.ann, deployment, browser).status == 303)
            for address in [TestDeployment.admin, Self.second, Self.ann] {
                let email = try await eventually("an email to \(address)") {
                    Self.emails(deployment, to: address).first { $0.contains(what.words) }
                }
                #expect(email.contains(Self.ann) && !email.contains(Self.ben), "\(email)")
            }
            #expect(Self.emails(deployment, to: Self.ben).allSatisfy { !$0.contains(what.words) })
        }
    }

    @Test("who has lost a role is told of that alone, and not of what else has changed")
    func lostRole() async throws {
        try await Self.open { deployment, browser in
            try await deployment.grant(.auditor, to: Self.ben)
            try await deployment.revoke(.admin, of: Self.ann)
            try await deployment.notices().round()
            let email = try await eventually("an email to the admin of before") {
                Self.emails(deployment, to: Self.ann).first { $0.contains("revoked") }
            }
            #expect(!email.contains("granted") && !email.contains(Self.ben), "\(email)")
            let other = try await eventually("an email to an admin") {
                Self.emails(deployment, to: Self.second).first { $0.contains("revoked") }
            }
            #expect(other.contains("granted"), "\(other)")
        }
    }

    @Test("an admin who is erased has lost the role, and all others are told")
    func erased() async throws {
        try await Self.open { deployment, _ in
            try await deployment.isChanged(by: EraseUser(Self.ann, .now))
            #expect(try await deployment.auditRows(.roleChanged).map(\.cause) == ["granted", "revoked"])
            try await deployment.notices().round()
            _ = try await eventually("an email to an admin") {
                Self.emails(deployment, to: Self.second).first { $0.contains("revoked") }
            }
        }
    }

    @Test("a change by a command is told whose clock is ten minutes behind, and told once")
    func slowClock() async throws {
        try await Self.open { deployment, _ in
            let notices = try deployment.notices()
            let before = try await deployment.stored.adminNotices.batches()
            deployment.clock.advance(by: .minutes(20))
            try await notices.round()
            let behind = ServiceClock { deployment.clock.now - .minutes(10) }
            _ = try await OperatorChanges(deployment.database, by: .command(user: "root", sudo: nil), clock: behind)
                .make(GrantRole(.auditor, to: Self.ben))
            for _ in 0..<8 {
                deployment.clock.advance(by: .seconds(61))
                try await notices.round()
            }
            #expect(try await deployment.stored.adminNotices.batches() == before + [1])
        }
    }

    @Test("each key of a client but its looks and its contact is told, of every protocol")
    func keys() async throws {
        try await TestDeployment.open { deployment in
            let (keys, others) = (ClientProtocols.builtIn.entryKeys, ["added", "disabled", "set name start_url"])
            let store = AuditStore(database: deployment.database, clock: deployment.clock.clock)
            try await deployment.database.write { connection in
                for detail in keys.map({ "set \($0)" }) + others {
                    try store.write(Event(.clientChanged, client: "wiki", detail: detail), connection)
                }
            }
            let told = try await deployment.database.read { connection in
                try AdminNews.rows(
                    since: Timestamp(milliseconds: 0), limit: 1000, named: AdminAddresses(), connection
                ) { _ in false }.compactMap(\.detail)
            }
            let quiet: Set = ["name", "logo", "hidden", "contact", "upstream"]
            #expect(quiet.isSubset(of: keys))
            #expect(Set(told) == Set(Set(keys).subtracting(quiet).map { "set \($0)" } + others))
        }
    }
}
