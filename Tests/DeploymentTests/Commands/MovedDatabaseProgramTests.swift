import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("Commands on a database that has moved", .deployment)
struct MovedDatabaseProgramTests {
    @Test("serve, lists, changes, backup and restore refuse it and name the new place; unmark takes it back")
    func commands() async throws {
        let pair = try ProcessDeployment()
        try await ProcessDeployment.running(pair) { pair in
            _ = try await Browser().signIn(at: pair.client, of: pair, as: "ann@example.com")
        }
        let backup = pair.folder.path(of: "backup.sqlite")
        #expect(try await pair.idp(["backup", backup]).printed.contains(backup))
        let (from, to) = ("sqlite:\(pair.databasePath)", "sqlite:\(pair.folder.path(of: "moved.sqlite"))")
        let copied = try await pair.idp(["database", "copy", "--from", from, "--to", to])
        #expect(copied.printed.contains("\(from) is marked as moved to \(to)."), "\(copied.printed)")

        for words in [
            ["serve"], ["user", "list"], ["user", "disable", "ann@example.com"], ["backup", backup + ".late"],
            ["restore", backup], ["audit", "show"],
        ] {
            let refused = try await pair.idp(words, endsWith: 78)
            #expect(refused.log.contains("it has moved to \(to)"), "\(words): \(refused.output)")
        }
        let checked = try await pair.idp(["check"], endsWith: 1)
        #expect(checked.log.contains("it has moved to \(to)"), "\(checked.output)")

        let again = try await pair.idp(["database", "unmark", "--json"])
        #expect(again.printed == "{\"changed\":true}\n")
        #expect(try await pair.idp(["database", "unmark"]).printed.contains("has no mark"))
        #expect(try await pair.idp(["user", "list"]).printed.contains("ann@example.com"))
        let kept = try await pair.idp([
            "database", "copy", "--from", from, "--to", "\(to).second", "--keep-source", "--json",
        ])
        #expect(kept.printed.contains("\"source\" : \"kept\""))
        #expect(try await pair.idp(["user", "list"]).printed.contains("ann@example.com"))
    }

    @Test("the relying party's is refused as well")
    func relyingParty() async throws {
        let pair = try ProcessDeployment()
        try await ProcessDeployment.running(pair) { _ in }
        let client = pair.client.process
        let from = try #require(client.settings["RP_DATABASE_URL"])
        func run(_ words: [String], endsWith code: Int32 = 0) async throws -> ProgramProcess {
            let process = ProgramProcess(
                "relying-party", words, environment: client.settings, folder: try TemporaryFolder())
            #expect(try await process.run() == .code(code), "\(words): \(process.output)")
            return process
        }
        let copied = try await run(["database", "copy", "--from", from, "--to", "\(from).moved"])
        #expect(copied.printed.contains("is marked as moved"), "\(copied.output)")
        let served = try await run(["serve"], endsWith: 78)
        #expect(served.log.contains("it has moved to \(from).moved"), "\(served.output)")
        #expect(try await run(["database", "unmark"]).printed.contains("The mark is gone."))
    }
}
