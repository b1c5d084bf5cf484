import Foundation
import Glibc
import ProbeKit
import SSOWeb
import Testing

@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import SQLiteStorage
@testable import Storage
@testable import TestKit
@testable import WebTestKit

extension Journeys.Operators {
    /// Both programs move from files to PostgreSQL and back, with the commands that an operator uses.
    @Suite("Moving between SQLite and PostgreSQL", .journey)
    struct DatabaseCopies {
        /// Runs `database copy` of a program.
        @discardableResult
        private static func copy(
            _ program: String, _ from: String, _ to: String, json: Bool = false, endsWith code: Int32 = 0
        ) async throws -> ProgramProcess {
            let process = ProgramProcess(
                program, ["database", "copy", "--from", from, "--to", to] + (json ? ["--json"] : []),
                folder: try TemporaryFolder())
            #expect(try await process.run() == .code(code), "\(program) \(process.output)")
            return process
        }

        @Test("a signed-in browser, a pending sign-in and an unused token go on after the copy, there and back")
        func thereAndBack() async throws {
            let pair = try ProcessDeployment()
            let files = [pair.idp, pair.client.process].map {
                $0.settings["IDP_DATABASE_URL"] ?? $0.settings["RP_DATABASE_URL"] ?? ""
            }
            let servers = [try await PostgresFixture.makeDatabase(), try await PostgresFixture.makeDatabase()]
            try await pair.start()
            let browser = Browser()
            _ = try await browser.follow(
                browser.get(browser.signIn(at: pair.client, of: pair, as: "ann@example.com").callback().absolute))
            #expect(try await browser.isSignedIn(at: pair.client))
            let moves = [(files, servers), (servers, files.map { "\($0).back" })]
            for (round, (from, to)) in moves.enumerated() {
                let address = "user-\(round)@example.com"
                let other = Browser()
                let waiting = try await other.ask(for: address, on: other.beginSignIn(at: pair.client))
                let token = try await browser.token(for: pair.client, of: pair, state: "round-\(round)")
                let inUse = try await Self.copy("idp", from[0], to[0], endsWith: 1)
                #expect(inUse.log.split(separator: "\n").count == 1 && inUse.log.contains("use"), "\(inUse.log)")
                try await pair.stop()

                let idp = try await Self.copy("idp", from[0], to[0], json: true)
                let client = try await Self.copy("relying-party", from[1], to[1])
                #expect(idp.log.contains("database_copied") && client.log.contains("database_copied"))
                #expect(client.printed.contains("used_state"))
                let report = try JSONDecoding.value(Array(idp.printed.utf8))
                #expect(report["to"] != nil)
                pair.idp.set("IDP_DATABASE_URL", to: to[0])
                pair.client.process.set("RP_DATABASE_URL", to: to[1])
                try await pair.start()

                #expect(try await browser.isSignedIn(at: pair))
                #expect(try await browser.isSignedIn(at: pair.client))
                #expect(try await pair.verify(token, as: pair.client).status == 200)
                #expect(try await pair.verify(token, as: pair.client).status == 401)
                let complete = try await other.enter(pair.mailbox.code(to: address, count: 1), on: waiting)
                #expect(try complete.token().hasPrefix("sst_"))
            }
            try await pair.stop()
        }

        @Test("a large database is the same there, back, and there again: every table has the same rows and hash")
        func large() async throws {
            let pair = try ProcessDeployment()
            let file = try #require(pair.idp.settings["IDP_DATABASE_URL"])
            let browser = Browser()
            try await ProcessDeployment.running(pair) { pair in
                _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            }
            let tokens = TestLength.of(short: 10_000, nightly: 1_000_000)
            try await Self.addRows(tokens: tokens, sessions: tokens / 10, to: pair.databasePath)
            let places = [
                file, try await PostgresFixture.makeDatabase(), "sqlite:\(pair.folder.path(of: "back.sqlite"))",
                try await PostgresFixture.makeDatabase(),
            ]
            var hashes: [[String]] = []
            for (from, to) in zip(places, places.dropFirst()) {
                let start = ContinuousClock.now
                let printed = try await Self.copy("idp", from, to, json: true).printed
                print("\(tokens) tokens to \(to.prefix(8)): \(ContinuousClock.now - start)")
                #expect(printed.contains("\"rows\" : \(tokens + 1)"))
                hashes.append(printed.matches(of: #/"hash" : "([0-9a-f]+)"/#).map { String($0.1) })
            }
            #expect(hashes[0].count > 20 && Set(hashes).count == 1)
            pair.idp.set("IDP_DATABASE_URL", to: places[3])
            try await ProcessDeployment.running(pair) { pair in
                let isSignedIn = try await browser.isSignedIn(at: pair)
                #expect(isSignedIn)
            }
        }

        /// Adds tokens that were used and sessions of the one account.
        private static func addRows(tokens: Int, sessions: Int, to path: String) async throws {
            let database = try await SQLiteDatabase(path: path, migrations: IdPMigrations.all)
            let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
            try await database.stored.addMany(tokens: tokens, sessions: sessions, now: now, until: now + .hours(1))
            await database.close()
        }

        @Test("killed in the middle, it leaves nothing that a program would use, and the next copy is whole")
        func killed() async throws {
            let pair = try ProcessDeployment()
            let file = try #require(pair.idp.settings["IDP_DATABASE_URL"])
            try await ProcessDeployment.running(pair) { pair in
                _ = try await Browser().signIn(at: pair.client, of: pair, as: "ann@example.com")
            }
            for round in 1...TestLength.of(short: 6, nightly: 60) {
                let toFile = round.isMultiple(of: 2)
                let target =
                    toFile
                    ? "sqlite:\(pair.folder.path(of: "copy-\(round).sqlite"))"
                    : try await PostgresFixture.makeDatabase()
                let process = ProgramProcess(
                    "idp", ["database", "copy", "--from", file, "--to", target], folder: try TemporaryFolder())
                async let end = process.run()
                _ = try await eventually("the copy runs") { process.pid }
                // Any moment from its start to its end.
                try await Task.sleep(for: .microseconds(Int.random(in: 0...400_000)))
                process.send(SIGKILL)
                _ = try await end
                let again = ProgramProcess(
                    "idp", ["database", "copy", "--from", file, "--to", target], folder: try TemporaryFolder())
                let isWhole = try await again.run() == .code(0)
                // Only a copy that was finished is in the way, or its mark.
                let words = ["the target is not empty", "it has moved to "]
                #expect(isWhole || words.contains { again.log.contains($0) }, "\(again.log)")
                _ = try await pair.idp(["database", "unmark"])
                let users = try await pair.idp(["user", "list"], settings: ["IDP_DATABASE_URL": target])
                #expect(users.printed.contains("ann@example.com"))
            }
        }

        @Test("a password on the command line is 64, a wrong address 78, and an address in a file is used")
        func addresses() async throws {
            let folder = try TemporaryFolder()
            let source = "sqlite:\(folder.path(of: "none"))"
            for program in ["idp", "relying-party"] {
                let password = try await Self.copy(program, source, "postgres://ann:S3CRET@127.0.0.1/x", endsWith: 64)
                #expect(password.log.contains("--to: holds a password") && password.log.contains("file:PATH"))
                let wrong = try await Self.copy(program, source, "mysql:x", endsWith: 78)
                #expect(wrong.log.contains("--to: is not a supported database"), "\(wrong.log)")
                try folder.write("postgres://ann:S3CRET@127.0.0.1:1/x\n", to: "url")
                let away = try await Self.copy(
                    program, "file:\(folder.path(of: "url"))", "sqlite:\(folder.path(of: "x"))", endsWith: 1)
                #expect(away.log.contains("cannot use the database postgres://ann@127.0.0.1:1/x"), "\(away.log)")
                for run in [password, away] { #expect(!run.output.contains("S3CRET")) }
            }
        }
    }
}
