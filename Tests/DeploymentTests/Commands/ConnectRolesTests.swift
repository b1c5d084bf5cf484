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
        try await run("CREATE ROLE \(name)_other LOGIN", "CREATE ROLE \(name)_nobody")
        let open = try await check()
        #expect(open.log.contains("every role of the server may connect to the database"), "\(open.output)")
        #expect(open.log.contains("REVOKE ALL ON DATABASE"))
        #expect(open.log.contains("\(name)_other") && !open.log.contains("\(name)_nobody"))

        try await run("REVOKE ALL ON DATABASE \(name) FROM PUBLIC", "GRANT CONNECT ON DATABASE \(name) TO \(name)")
        let closed = try await check()
        #expect(!closed.output.contains("every role") && !closed.output.contains("_other"), "\(closed.output)")

        try await run("GRANT CONNECT ON DATABASE \(name) TO \(name)_other")
        let granted = try await check()
        #expect(granted.printed.contains("\(name)_other may connect as well"), "\(granted.output)")
        #expect(!granted.log.contains("\(name)_other"), "no warning")

        #expect(!granted.log.contains("ALTER ROLE"), "\(granted.log)")
        try await run("ALTER ROLE \(name) SUPERUSER CREATEROLE")
        let powerful = try await check()
        #expect(
            powerful.log.contains("its role \(name) is SUPERUSER, CREATEROLE")
                && powerful.log.contains("ALTER ROLE \(name) NOSUPERUSER NOCREATEROLE"), "\(powerful.log)")
        try await run("ALTER ROLE \(name) NOSUPERUSER NOCREATEROLE")
        #expect(try await tables() == ["0"], "a check changes nothing")
    }
}
