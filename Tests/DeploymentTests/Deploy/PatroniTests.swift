import Foundation
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

@Suite("The files for PostgreSQL", .deployment, .dependsOnMachine)
struct PatroniTests {
    @Test("with the statements of role.sql, idp works as a role that owns a schema and nothing else")
    func role() async throws {
        let lines = try DeployFiles.lines("patroni/role.sql").filter { !$0.isEmpty && !$0.hasPrefix("--") }
        let parts = lines.split(separator: "\\connect idp").map { $0.map { String($0.dropLast()) } }
        #expect(parts.count == 2 && lines.allSatisfy { $0.hasSuffix(";") || $0 == "\\connect idp" })
        try await PostgreSQLServer.open { server in
            for (statements, database) in zip(parts, ["postgres", "idp"]) {
                #expect(try await server.run(statements, in: database).errors.isEmpty)
            }
            let pair = try ProcessDeployment(settings: [
                "IDP_DATABASE_URL": "host=\(server.socket) user=idp dbname=idp"
            ])
            try await ProcessDeployment.running(pair) { pair in
                _ = try await Browser().signIn(at: pair.client, of: pair, as: "ann@example.com")
            }
            let found = try await server.run(
                [
                    "SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication FROM pg_roles WHERE rolname = 'idp'",
                    "SELECT DISTINCT schemaname FROM pg_tables WHERE tableowner = 'idp'",
                    "SELECT has_database_privilege('idp', 'idp', 'CREATE') OR has_schema_privilege('idp', 'public', 'USAGE')",
                ], in: "idp")
            #expect(found.rows == ["f", "idp", "f"])
        }
    }

    @Test("docs/postgresql.md has the statements of role.sql")
    func documentedRole() throws {
        let statements = try DeployFiles.lines("patroni/role.sql").filter { !$0.isEmpty && !$0.hasPrefix("--") }
        let page = try String(
            contentsOf: TestVectors.repository.appending(path: "docs/postgresql.md"), encoding: .utf8)
        #expect(page.contains("```sql\n\(statements.joined(separator: "\n"))\n```"))
    }

    @Test("HAProxy accepts haproxy.cfg", .enabled(if: ProxyProcess.Kind.haproxy.path != nil, "needs HAProxy"))
    func proxy() async throws {
        let folder = try TemporaryFolder()
        let path = try #require(ProxyProcess.Kind.haproxy.path)
        let child = try ChildProcess(
            path, ["-c", "-f", DeployFiles.folder.appending(path: "patroni/haproxy.cfg").path()], environment: [:],
            folder: folder.path, standardOutput: folder.path(of: "out"), standardError: folder.path(of: "err"))
        #expect(try await child.waitForExit() == .code(0), "\(folder.text(of: "err"))")
        #expect(!folder.text(of: "err").contains("WARNING"), "\(folder.text(of: "err"))")
    }

    @Test("Patroni makes a database that idp accepts, waits for a standby, and takes connections with TLS alone")
    func patroni() throws {
        let lines = try DeployFiles.lines("patroni/patroni.yml").map { $0.trimmingCharacters(in: .whitespaces) }
        for line in ["- encoding: UTF8", "- locale: C.UTF-8", "synchronous_mode: true", "ssl: \"on\""] {
            #expect(lines.contains(line), "\(line)")
        }
        let rules = lines.filter { $0.hasPrefix("- local ") || $0.hasPrefix("- host") }
        #expect(rules.count == 6)
        for rule in rules where !rule.hasPrefix("- local ") {
            #expect(rule.hasPrefix("- hostssl ") && rule.hasSuffix(" scram-sha-256"), "\(rule)")
        }
        #expect(!lines.contains { $0.contains("password:") })
        // Without a body: HAProxy closes after the head, and Patroni would log a failure.
        #expect(try DeployFiles.lines("patroni/haproxy.cfg").contains("    option httpchk OPTIONS /primary"))
    }
}
