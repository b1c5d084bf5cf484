import Foundation
import Testing

@testable import IdPTestKit
@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

/// Threat: any role that may connect can hold up all writes by an advisory lock, which needs no other right.
@Suite("The roles that `check --connect` names", .deployment)
struct ConnectRolesTests {
    @Test("it warns while every role may connect, with the names of those there are, and after the REVOKE no more")
    func roles() async throws {
        let url = try await PostgresFixture.makeDatabase()
        let name = try #require(url.split(separator: "/").last.map(String.init))
        let fixture = try await PostgresFixture.make()
        func run(_ statements: String...) async throws { for sql in statements { try await fixture.run(sql) } }
        func check() async throws -> ProgramProcess {
            let folder = try TemporaryFolder()
            let program = ProgramProcess(
                "idp", ["check", "--connect"],
                environment: SettingsFixture.idp.merging([
                    "IDP_DATABASE_URL": url, "IDP_LISTEN": "127.0.0.1:0", "IDP_MAIL_URL": "outbox:\(folder.path)",
                ]) { $1 }, folder: folder)
            #expect(try await program.run() == .code(0), "\(program.output)")
            return program
        }
        func tables() async throws -> [String?] {
            let parameters = ["host": fixture.server.socket, "user": name, "dbname": name]
            return try await onOwnThread {
                let session = try PostgresSession.open(parameters, answeringWithin: .seconds(30))
                session.deadline = .now + .seconds(30)
                return try session.texts("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'")
            }
        }
        // The first of all names, of which five are shown: other tests make roles as well.
        try await run("CREATE ROLE another_\(name) LOGIN", "CREATE ROLE \(name)_nobody")
        let open = try await check()
        #expect(open.log.contains("every role of the server may connect to the database"), "\(open.output)")
        #expect(open.log.contains("REVOKE ALL ON DATABASE"))
        #expect(open.log.contains("another_\(name)") && !open.log.contains("\(name)_nobody"))

        try await run("REVOKE ALL ON DATABASE \(name) FROM PUBLIC", "GRANT CONNECT ON DATABASE \(name) TO \(name)")
        let closed = try await check()
        #expect(!closed.output.contains("every role") && !closed.output.contains("another_"), "\(closed.output)")

        try await run("GRANT CONNECT ON DATABASE \(name) TO another_\(name)")
        let granted = try await check()
        #expect(granted.printed.contains("another_\(name) may connect as well"), "\(granted.output)")
        #expect(!granted.log.contains("another_\(name)"), "no warning")

        #expect(!granted.log.contains("ALTER ROLE"), "\(granted.log)")
        try await run("ALTER ROLE \(name) SUPERUSER CREATEROLE")
        let powerful = try await check()
        #expect(
            powerful.log.contains("its role \(name) is SUPERUSER, CREATEROLE")
                && powerful.log.contains("ALTER ROLE \(name) NOSUPERUSER NOCREATEROLE"), "\(powerful.log)")
        try await run("ALTER ROLE \(name) NOSUPERUSER NOCREATEROLE")
        #expect(try await tables() == ["0"], "a check changes nothing")
    }

    @Test("a standby that commits wait for and that is away is named by check and by a start; a start names its node")
    func standby() async throws {
        try await PostgreSQLServer.open { server in
            func set(_ names: String) async throws {
                let outcome = try await server.run([
                    "ALTER SYSTEM SET synchronous_standby_names = '\(names)'", "SELECT pg_reload_conf()",
                ])
                #expect(outcome.errors.isEmpty, "\(outcome.errors)")
                try await eventually("the setting is in force") { () -> Void? in
                    let question = "SELECT current_setting('synchronous_standby_names') = '\(names)'"
                    return try await server.run([question]).rows == ["t"] ? () : nil
                }
            }
            let pair = try ProcessDeployment(
                settings: ["IDP_DATABASE_URL": "host=\(server.socket) user=postgres dbname=postgres"])
            func idp(_ arguments: String..., endsWith code: Int32) async throws -> ProgramProcess {
                try await pair.idp(arguments, settings: pair.idp.settings, endsWith: code)
            }
            let empty = try await idp("user", "list", endsWith: 1)
            #expect(empty.log.contains("has no tables yet. Set IDP_DATABASE_URL"), "\(empty.log)")
            #expect(!empty.log.contains("sqlite:"), "\(empty.log)")
            try await set("far")
            let words = "commits wait for the standby of synchronous_standby_names"
            let check = try await idp("check", "--connect", endsWith: 1)
            #expect(check.log.contains("error: IDP_DATABASE_URL: \(words), far, and it is away"), "\(check.log)")
            let start = try await idp("serve", endsWith: 1)
            #expect(start.log.contains(#/startup_failed .*synchronous_standby_names: far/#), "\(start.log)")
            try await set("")
            try await pair.idp.start()
            let line = try #require(try await pair.idp.logs(" listening ").first)
            let node = try #require(line.firstMatch(of: #/node=(node_[A-Za-z0-9_-]+)/#)?.1)
            let status = try await idp("database", "status", endsWith: 0)
            #expect(status.printed.contains(node), "\(status.printed)")
            try await pair.idp.terminate()
        }
    }
}
