import Foundation
import Logging
import Storage
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

@Suite("Opening a database of PostgreSQL", .deployment, .dependsOnMachine)
struct PostgresOpeningTests {
    private static func words(_ address: PostgresAddress, _ steps: [Migration] = DatabaseClaim.steps) async -> String {
        do throws(DatabaseError) {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            await (try PostgresDatabase(address, migrations: steps, logger: logger) { _ in }).close()
            return "opened"
        } catch {
            return "\(error)"
        }
    }

    private static func address(_ fixture: PostgresFixture, database: String, user: String = "postgres") throws
        -> PostgresAddress
    {
        let url = "postgres://\(user):S3CRET@/\(database)?host=\(fixture.server.socket)"
        return try PostgresAddress(url, allowsPlaintext: false, readers: 1, program: "test")
    }

    @Test(
        "a database that sorts texts otherwise is refused, with the statement that makes a right one",
        arguments: [
            ("ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'und' LOCALE 'C'", "collation is und (provider icu)"),
            ("ENCODING 'SQL_ASCII' LOCALE 'C'", "encoding is SQL_ASCII"),
            ("ENCODING 'UTF8' LOCALE 'C'", "opened"), ("ENCODING 'UTF8' LOCALE 'C.UTF-8'", "opened"),
        ])
    func collation(options: String, words: String) async throws {
        let fixture = try await PostgresFixture.make()
        let name = "\(fixture.schema)_other"
        try await fixture.run("CREATE DATABASE \(name) TEMPLATE template0 \(options)")
        let found = await Self.words(try Self.address(fixture, database: name))
        #expect(found.contains(words), "\(found)")
        #expect(found == "opened" || found.contains("CREATE DATABASE"), "\(found)")
    }

    @Test("each obstacle is one line that names the database and never the password")
    func obstacles() async throws {
        let fixture = try await PostgresFixture.make()
        let (role, name) = ("\(fixture.schema)_role", "\(fixture.schema)_other")
        try await fixture.run("CREATE ROLE \(role) LOGIN")
        try await fixture.run("CREATE ROLE \(role)_none LOGIN CONNECTION LIMIT 0")
        try await fixture.run("CREATE ROLE \(role)_never NOLOGIN")
        try await fixture.run("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
        let obstacles = [
            (
                try Self.address(fixture, database: name, user: "\(role)_none"),
                "too many connections for role \"\(role)_none\" (SQLSTATE 53300). Raise CONNECTION LIMIT"
            ),
            (
                try Self.address(fixture, database: name, user: "\(role)_never"),
                "is not permitted to log in (SQLSTATE 28000). ALTER ROLE … LOGIN."
            ),
            (try Self.address(fixture, database: "nowhere"), "does not exist"),
            (try Self.address(fixture, database: name, user: "nobody_here"), "does not exist"),
            (try Self.address(fixture, database: name, user: role), "the role may create no tables in it"),
            (
                try PostgresAddress(
                    "postgres://idp:S3CRET@127.0.0.1:1/idp", allowsPlaintext: false, readers: 1, program: "test"),
                "Check the address, and that the server runs"
            ),
        ]
        for (address, words) in obstacles {
            let found = await Self.words(address)
            #expect(found.hasPrefix("cannot use the database \(address): "), "\(found)")
            #expect(found.contains(words), "\(found)")
            #expect(!found.contains("S3CRET") && !found.contains("\n"), "\(found)")
        }
    }

    @Test(
        "on a full disk the start is refused by one line, and once there is room the same database opens",
        .enabled(if: SmallDisk.canMount, "mounting needs root"))
    func fullDisk() async throws {
        let disk = try SmallDisk(kilobytes: 12_288)
        try disk.giveToNobody()
        try await PostgreSQLServer.open { server in
            let made = try await server.run([
                "CREATE TABLESPACE small LOCATION '\(disk.path)'",
                "CREATE DATABASE small TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' TABLESPACE small",
            ])
            #expect(made.errors.isEmpty, "\(made.errors)")
            let address = try PostgresAddress(
                "host=\(server.socket) user=postgres dbname=small", allowsPlaintext: false, readers: 1, program: "test")
            // The first connection to a database writes a file, later ones do not.
            for problem in ["could not write init file", "No space left on device"] {
                let ballast = try disk.fill()
                let found = await Self.words(address)
                #expect(found.hasPrefix("cannot use the database \(address): "), "\(found)")
                #expect(found.contains(problem), "\(found)")
                #expect(found.hasSuffix("Make room on the disk of PostgreSQL.") && !found.contains("\n"), "\(found)")
                try FileManager.default.removeItem(atPath: ballast)
                #expect(try await server.run(["SELECT 1"], in: "small").rows == ["1"])
            }
            #expect(await Self.words(address) == "opened")
            // A tablespace on a disk that is gone would keep the server from ending well.
            let dropped = try await server.run(["DROP DATABASE small", "DROP TABLESPACE small"])
            #expect(dropped.errors.isEmpty, "\(dropped.errors)")
        }
    }

    @Test("a role that owns its schema and nothing else is enough")
    func smallRole() async throws {
        let fixture = try await PostgresFixture.make()
        let (role, name) = ("\(fixture.schema)_role", "\(fixture.schema)_other")
        try await fixture.run("CREATE ROLE \(role) LOGIN")
        try await fixture.run("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
        let owner = try Self.address(fixture, database: name)
        try await onOwnThread {
            let session = try PostgresSession.open(owner.parameters, answeringWithin: .seconds(30))
            _ = try session.texts("CREATE SCHEMA AUTHORIZATION \(role)")
        }
        #expect(await Self.words(try Self.address(fixture, database: name, user: role)) == "opened")
    }

    @Test("a server whose reads come from a standby is refused, with the remedy for pgpool-II")
    func standbyReads() async throws {
        try await PostgreSQLServer.open { primary in
            let standby = try await primary.standby(port: 5433)
            let address = try PostgresAddress(
                "host=\(standby.socket) port=5433 user=postgres dbname=postgres", allowsPlaintext: false, readers: 1,
                program: "test")
            // As pgpool-II does: it answers for the primary when a client asks which server it has.
            let parameters = address.parameters.merging(["target_session_attrs": "any"]) { $1 }
            let found = await Self.words(PostgresAddress(parameters: parameters, readers: 1))
            #expect(found.contains("a standby answers reads"), "\(found)")
            #expect(found.contains("load_balance_mode"), "\(found)")
            try await standby.stop()
        }
    }

    @Test("a schema that another role has planted before ours is refused, and an open session keeps its own")
    func plantedSchema() async throws {
        let fixture = try await PostgresFixture.make()
        let (role, name, other) = ("\(fixture.schema)_role", "\(fixture.schema)_other", "\(fixture.schema)_mallory")
        for sql in [
            "CREATE ROLE \(role) LOGIN", "CREATE ROLE \(other) LOGIN",
            "CREATE DATABASE \(name) OWNER \(role) TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'",
        ] { try await fixture.run(sql) }
        let address = try Self.address(fixture, database: name, user: role)
        #expect(await Self.words(address) == "opened")
        let owner = try Self.address(fixture, database: name)
        try await onOwnThread {
            let session = try PostgresSession.open(address.parameters, answeringWithin: .seconds(30))
            let planter = try PostgresSession.open(owner.parameters, answeringWithin: .seconds(30))
            _ = try planter.texts("CREATE SCHEMA \(role) AUTHORIZATION \(other)")
            _ = try planter.texts("GRANT ALL ON SCHEMA \(role) TO PUBLIC")
            #expect(try session.texts("SELECT current_schema()") == ["public"])
        }
        let found = await Self.words(address)
        #expect(found.contains("belongs to another role") && found.contains("ALTER SCHEMA"), "\(found)")
    }

    @Test("inspecting refuses a role that may have fewer connections than a start needs")
    func fewConnections() async throws {
        let fixture = try await PostgresFixture.make()
        let (role, name) = ("\(fixture.schema)_role", "\(fixture.schema)_other")
        try await fixture.run("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 3")
        try await fixture.run(
            "CREATE DATABASE \(name) OWNER \(role) TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
        var address = try Self.address(fixture, database: name, user: role)
        address.readers = 4
        let refused = await #expect(throws: DatabaseError.self) {
            try await PostgresDatabase.inspect(address, migrations: DatabaseClaim.steps)
        }
        #expect(refused.map { "\($0)".contains("a start needs 5 connections at once") } == true)
        try await fixture.run("ALTER ROLE \(role) CONNECTION LIMIT 12")
        #expect(try await PostgresDatabase.inspect(address, migrations: DatabaseClaim.steps).isEmpty)
    }

    @Test("inspecting names the steps that are missing and changes nothing")
    func inspect() async throws {
        let fixture = try await PostgresFixture.make()
        let steps = DatabaseClaim.steps + [Migration(name: "v002-more", sql: ["CREATE TABLE more (id BIGINT)"])]
        let address = try fixture.address()
        for _ in 1...2 {
            #expect(try await PostgresDatabase.inspect(address, migrations: steps).isEmpty)
            #expect(try await !PostgresDatabase.hasTables(address, migrations: steps))
        }
        await (try await fixture.open(DatabaseClaim.steps)).close()
        #expect(try await PostgresDatabase.inspect(address, migrations: steps) == ["v002-more"])
        #expect(try await PostgresDatabase.inspect(address, migrations: DatabaseClaim.steps).isEmpty)
        let newer = await Self.words(address, [])
        #expect(newer.contains("newer version (step v001-claims)"), "\(newer)")
    }

    @Test(
        "steps whose commit PostgreSQL warns about may vanish: the start is refused, and the next one finds what is there"
    )
    func warnedCommit() async throws {
        let fixture = try await PostgresFixture.make()
        let step = Migration(
            name: "v002-warned",
            sql: [
                "CREATE TABLE warned (id BIGINT)",
                """
                CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql
                    AS 'BEGIN RAISE WARNING ''injected''; RETURN NEW; END'
                """,
                """
                CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON warned DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION warn()
                """,
                "INSERT INTO warned (id) VALUES (1)",
            ])
        let steps = DatabaseClaim.steps + [step]
        let found = await Self.words(try fixture.address(), steps)
        #expect(found.contains("whether the steps of its schema are kept is unknown"), "\(found)")
        #expect(await Self.words(try fixture.address(), steps) == "opened")
    }

    @Test("a step waits for a table in use without keeping others from it, and is applied afterwards")
    func tableInUse() async throws {
        let fixture = try await PostgresFixture.make()
        let old = try await fixture.open(DatabaseClaim.steps)
        try await old.add(items: [1])
        let holder = try PostgresSession.open(try fixture.address().parameters, answeringWithin: .seconds(30))
        holder.deadline = .now + .seconds(60)
        _ = try holder.texts("BEGIN")
        _ = try holder.texts("SET LOCAL idle_in_transaction_session_timeout = 0")
        _ = try holder.texts("SELECT COUNT(*) FROM item")
        let step = Migration(name: "v002-column", sql: ["ALTER TABLE item ADD COLUMN label TEXT"])
        async let new = fixture.open(DatabaseClaim.steps + [step])
        try await eventually("the step waits for the table") {
            let waiting = try await fixture.run(
                "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE item%'"
            )
            return waiting == ["1"] ? () : nil
        }
        // Behind the step in the queue, until that gives up for a moment.
        #expect(try await old.items() == 1)
        _ = try holder.texts("COMMIT")
        let database = try await new
        #expect(try await database.number("SELECT COUNT(*) AS n FROM item WHERE label IS NULL") == 1)
        for database in [old, database] { await database.close() }
    }
}
