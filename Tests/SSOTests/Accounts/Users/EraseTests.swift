import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Erasing an account", .program)
struct EraseTests {
    private static func job(_ deployment: TestDeployment) -> AccountDeadlines {
        AccountDeadlines(
            deployment.database, of: .builtIn, clock: deployment.clock.clock, randomness: SystemRandomness(),
            logger: deployment.log.logger("job"))
    }

    @Test("disables at once and erases after seven days; the audit log keeps the id, and nothing else names the user")
    func later() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            try await deployment.makeGroups(["staff"], members: ["ann@example.com"])
            let token = try await browser.token(for: deployment.client, of: deployment)
            let id = try #require(try await deployment.listed("ann@example.com")?.account.id)
            #expect(try await deployment.isChanged(by: EraseUser("ann@example.com")))
            #expect(try await !deployment.isChanged(by: EraseUser("ann@example.com")))
            #expect(try await deployment.listed("ann@example.com")?.state == .disabled)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.verify(token, as: deployment.client).error == "invalid_token")
            deployment.clock.advance(by: .days(7) - .seconds(1))
            #expect(try await Self.job(deployment).erase(limit: 10) == 0)
            deployment.clock.advance(by: .seconds(1))
            #expect(try await Self.job(deployment).erase(limit: 10) == 1)
            #expect(try await Self.job(deployment).erase(limit: 10) == 0)
            for table in IdPTable.all.map(\.name) {
                let rows = try await deployment.text(of: table)
                #expect(!rows.contains("ann@example.com"), "\(table): \(rows)")
                // What expires by itself has the id alone.
                guard !["audit_event", "sso_token", "session", "client_sign_in", "sign_out_message"].contains(table)
                else { continue }
                #expect(!rows.contains(id), "\(table): \(rows)")
            }
            #expect(
                try await deployment.stored.audit.of("user_erased").account(id).actor("idp").count() == 1)
            let lines = deployment.log.text.split(separator: "\n").filter { $0.contains("user_erased") }
            #expect(lines.count == 1 && lines[0].contains("\"account\": \(id)"), "\(lines)")
        }
    }

    @Test("--cancel keeps an account as it was: who was disabled before stays so", arguments: [false, true])
    func cancel(wasDisabled: Bool) async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            if wasDisabled { try await deployment.change(DisableUser("ann@example.com")) }
            #expect(try await !deployment.isChanged(by: EraseUser("ann@example.com", .cancel)))
            try await deployment.change(EraseUser("ann@example.com"))
            for refused in [
                try await deployment.refusal(of: EnableUser("ann@example.com")),
                try await deployment.refusal(of: SetEndDate("ann@example.com", to: deployment.clock.now + .days(1))),
            ] { #expect(refused?.contains("idp user erase ann@example.com --cancel") == true) }
            #expect(try await deployment.isChanged(by: EraseUser("ann@example.com", .cancel)))
            deployment.clock.advance(by: .days(8))
            #expect(try await Self.job(deployment).erase(limit: 10) == 0)
            #expect(try await deployment.listed("ann@example.com")?.state == (wasDisabled ? .disabled : .active))
        }
    }

    @Test("who is disabled within the seven days stays disabled after --cancel", arguments: [false, true])
    func disabledMeanwhile(byImport: Bool) async throws {
        try await TestDeployment.open { deployment in
            func file(_ lines: String) -> ImportFile { ImportFile(Array("email\n\(lines)".utf8)) }
            var options = ImportPlan.Options()
            try await deployment.change(ImportUsers(file("ann@example.com\nben@example.com"), options, mail: nil))
            try await deployment.change(EraseUser("ann@example.com"))
            (options.syncs, options.disableAtMost) = (true, 1)
            let isChanged =
                byImport
                ? try await deployment.isChanged(by: ImportUsers(file("ben@example.com"), options, mail: nil))
                : try await deployment.isChanged(by: DisableUser("ann@example.com"))
            #expect(isChanged)
            #expect(try await !deployment.isChanged(by: DisableUser("ann@example.com")))
            #expect(try await deployment.isChanged(by: EraseUser("ann@example.com", .cancel)))
            #expect(try await deployment.listed("ann@example.com")?.state == .disabled)
        }
    }

    @Test("--now leaves no row that names the address, also where visitors have typed it or a client has sent it")
    func visitors() async throws {
        try await TestDeployment.open { deployment in
            let address = "ann/b@example.com"
            _ = try await deployment.signedIn(as: address)
            let hinted = deployment.browser()
            let hint = deployment.authorize(deployment.client, state: "s") + "&login_hint=ann%2Fb%40example.com"
            #expect(try await hinted.get(hint).status == 303)
            let typing = deployment.browser()
            _ = try await typing.ask(for: address, on: typing.get(deployment.origin + "/sign-in"))
            let other = try await deployment.signedIn(as: "bob@example.com")
            #expect(try await other.get(hint + "&prompt=login").status == 303)
            #expect(try await deployment.text(of: "session").contains(address))

            #expect(try await deployment.isChanged(by: EraseUser(address, .now)))
            for table in IdPTable.all.map(\.name) {
                let rows = try await deployment.text(of: table)
                #expect(!rows.contains(address), "\(table): \(rows)")
            }
            #expect(try await other.isSignedInOnHomePage(of: deployment))
            #expect(try await hinted.get(deployment.origin + "/sign-in").status == 200)
        }
    }

    @Test("--now erases in its own transaction, and the address can begin again with another id")
    func now() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let id = try await deployment.listed("ann@example.com")?.account.id
            #expect(try await deployment.isChanged(by: EraseUser("ann@example.com", .now)))
            #expect(try await deployment.listed("ann@example.com") == nil)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.refusal(of: EraseUser("ann@example.com", .now)) != nil)
            let asking = try await deployment.asking()
            #expect(try await asking.guess(asking.code).status == 303)
            let next = try await deployment.listed("ann@example.com")?.account.id
            #expect(next != nil && next != id)
        }
    }

    @Test(
        "--now keeps what waits for another address that ends with the erased one",
        arguments: ["jimbob@example.com", "jim.bob@example.com", "jim-bob@example.com", "jim+bob@example.com"])
    func neighbour(_ other: String) async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn(as: "bob@example.com")
            let browser = deployment.browser()
            let start = deployment.authorize(deployment.client, state: "s") + "&login_hint="
            let page = try await browser.follow(browser.get(start + PercentCoding.encode(other)))
            let waiting = try await browser.ask(for: other, on: page)
            #expect(try await deployment.isChanged(by: EraseUser("bob@example.com", .now)))
            let done = try await browser.enter(deployment.mailbox.code(to: other), on: waiting)
            #expect(done.text.contains(">\(other)</bdi>"))
            #expect(done.text.contains("id=\"continue\""), "the flow goes on: \(done.text)")
        }
    }
}
