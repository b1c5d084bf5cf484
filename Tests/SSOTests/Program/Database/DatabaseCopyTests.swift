import SQLiteStorage
import Storage
import StorageEngines
import Testing

@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("A copy between databases", .program, .alsoOnPostgres)
struct DatabaseCopyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String) -> DatabaseLocation { .sqlite(path: folder.path(of: name)) }

    private func postgres() async throws -> DatabaseLocation {
        let url = try await PostgresFixture.makeDatabase()
        return .postgres(try ProgramDatabase.idp.postgres(url, allowsPlaintext: false, readers: 1))
    }

    private func copy(
        _ source: DatabaseLocation, _ target: DatabaseLocation, tables: [String] = IdPTable.all.map(\.name)
    ) async throws -> [CopiedTable] {
        try await BlockingWork.run { () throws(DatabaseError) in
            try ProgramDatabase.idp.copyEnds.source(source, nil) { from throws(DatabaseError) in
                try ProgramDatabase.idp.copyEnds.target(target) { to throws(DatabaseError) in
                    try DatabaseCopy(tables: tables).run(from: from, to: to)
                }
            }.0
        }
    }

    /// Why a copy was refused; empty when it was not.
    private func refusal(
        _ source: DatabaseLocation, _ target: DatabaseLocation, tables: [String] = IdPTable.all.map(\.name)
    ) async -> String {
        do {
            _ = try await copy(source, target, tables: tables)
            return ""
        } catch {
            return "\(error)"
        }
    }

    /// Opens a file, lets `body` change it, and closes it.
    private func change(
        _ name: String, _ migrations: [Migration] = IdPMigrations.all,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in }
    ) async throws {
        let database = try await SQLiteDatabase(path: folder.path(of: name), migrations: migrations)
        try await database.write(body)
        await database.close()
    }

    /// Rows in every table, with NULL in every second one where the column allows that.
    private static func fill(_ connection: any SQLConnection) throws {
        for table in IdPTable.all.map(\.name) {
            let columns = try connection.query(
                "SELECT name, type, pk, \"notnull\" AS required FROM pragma_table_info(:table)",
                ["table": .text(table)])
            // More than two slices in one table.
            for number in 1...(table == "code_guess" ? 2_105 : 3) {
                var values: SQLArguments = [:]
                for column in columns {
                    let isNull = try number % 2 == 0 && column.integer("required") == 0
                    let name = try column.text("name")
                    values[name] =
                        switch try column.text("type") {
                        case "TEXT": isNull ? .null(.text) : .text("\(name) ü 😀 \(number)")
                        case "BLOB": isNull ? .null(.blob) : .blob([0, 255, UInt8(number % 256), UInt8(number / 256)])
                        default:
                            isNull ? .null(.integer) : .integer(Int64(number) * (name == "created_at" ? -1 << 40 : 1))
                        }
                }
                let names = values.pairs.map(\.0).sorted()
                try connection.execute(
                    """
                    INSERT INTO \(table) (\(names.map { "\"\($0)\"" }.joined(separator: ", ")))
                    VALUES (\(names.map { ":\($0)" }.joined(separator: ", ")))
                    """, values)
            }
        }
    }

    @Test("the lists of tables have every table of the migrations")
    func lists() async throws {
        for (name, migrations, tables) in [
            ("idp", IdPMigrations.all, IdPTable.all.map(\.name)),
            ("client", RelyingPartyMigrations.all, RelyingPartyMigrations.tables),
        ] {
            try await change(name, migrations) { connection in
                let found = try connection.query("SELECT name FROM sqlite_schema WHERE type = 'table'")
                    .map { try $0.text("name") }.filter { !$0.hasPrefix("sqlite_") }
                #expect(Set(found) == Set(tables + ["schema_migration"]))
            }
        }
    }

    @Test("a table that is in no list is refused, so that no copy leaves one out")
    func incompleteList() async throws {
        try await change("a")
        let error = await refusal(file("a"), file("b"), tables: IdPTable.all.map(\.name).filter { $0 != "session" })
        #expect(error.contains("the table session of the source"))
        #expect(!SQLiteDatabase.exists(path: folder.path(of: "b")))
    }

    @Test("every row of every table comes to PostgreSQL and back, with the same hash on every side")
    func thereAndBack() async throws {
        try await change("a") { try Self.fill($0) }
        let middle = try await postgres()
        let there = try await copy(file("a"), middle)
        #expect(there.map(\.name) == IdPTable.all.map(\.name))
        for table in there {
            #expect(table.source == table.target && table.source.rows == (table.name == "code_guess" ? 2_105 : 3))
        }
        let back = try await copy(middle, file("b"))
        #expect(back == there)
        // Also into a file whose tables are there and empty.
        try await change("c")
        #expect(try await copy(file("b"), file("c")) == there)
        // What was copied can be used.
        try await change("b") { connection in
            let accounts = try connection.query("SELECT id FROM account")
            #expect(accounts.count == 3)
        }
    }

    @Test("the hash does not depend on the order of rows, and depends on every value")
    func hash() {
        func hash(_ rows: [[SQLValue]]) -> CopiedTable.Content {
            var hash = RowsHash()
            for row in rows { hash.add(row) }
            return hash.content
        }
        let rows: [[SQLValue]] = [[1, "a", .null(.blob)], [2, "b", .blob([1])]]
        #expect(hash(rows) == hash(rows.reversed()))
        let others: [[[SQLValue]]] = [
            [[1, "a", .null(.blob)]], [[1, "a", .blob([])], [2, "b", .blob([1])]],
            [[1, "b", .null(.blob)], [2, "a", .blob([1])]], [[1, "a", .null(.blob)], [2, "b", "\u{1}"]],
        ]
        for other in others { #expect(hash(rows) != hash(other)) }
        #expect(hash([["ab", "c"]]) != hash([["a", "bc"]]))
    }

    @Test(
        "a value of a wrong type names table, column and key and never the value, and nothing is in the target",
        arguments: [
            ("UPDATE account SET name = x'5345435245543f' WHERE id = 'id ü 😀 2'", "name in the table account", true),
            ("UPDATE account SET name = 'SECRET' || char(0) WHERE id = 'id ü 😀 2'", "name in the table account", true),
            (
                "UPDATE account SET name = CAST(x'534543524554ff' AS TEXT) WHERE id = 'id ü 😀 2'",
                "name in the table account", true
            ),
            ("UPDATE account SET disabled = 'SECRET' WHERE id = 'id ü 😀 2'", "disabled in the table account", true),
            ("UPDATE account SET disabled = 77777777777 WHERE id = 'id ü 😀 2'", "disabled in the table account", false),
        ])
    func wrongType(statement: String, place: String, isWrongInFiles: Bool) async throws {
        try await change("a") { connection in
            try Self.fill(connection)
            try connection.execute(statement)
        }
        let middle = try await postgres()
        let words = await refusal(file("a"), middle)
        #expect(words.contains(place) && words.contains("id=id ü 😀 2"), "\(words)")
        #expect(!words.contains("SECRET") && !words.contains("77777777777"))
        #expect(try await !ProgramDatabase.idp.exists(middle))
        if isWrongInFiles {
            #expect(await refusal(file("a"), file("b")).contains(place))
            #expect(!SQLiteDatabase.exists(path: folder.path(of: "b")))
        }
    }

    @Test("a target with rows, with other tables or of an older step is refused, and stays as it was")
    func targets() async throws {
        try await change("a") { try Self.fill($0) }
        try await change("rows") {
            try $0.execute("INSERT INTO guess_alarm (id, last_at) VALUES (1, 1)")
        }
        try await change("other") { try $0.execute("CREATE TABLE other (id INTEGER PRIMARY KEY NOT NULL)") }
        try await FormerSchema("idp", without: 1).make {
            try await SQLiteDatabase(path: folder.path(of: "older"), migrations: $0)
        }
        try await change("client", RelyingPartyMigrations.all)
        for (name, words) in [
            ("rows", "rows in guess_alarm"), ("other", "other"), ("older", "before 0.1.0"), ("client", "not ours"),
        ] {
            let error = await refusal(file("a"), file(name))
            #expect(error.contains(words), "\(name): \(error)")
        }
        try await change("rows") { connection in
            let accounts = try connection.query("SELECT id FROM account")
            #expect(accounts.isEmpty)
        }
        let full = try await postgres()
        _ = try await copy(file("a"), full)
        let error = await refusal(file("a"), full)
        #expect(error.contains("the target is not empty"))
    }

    @Test("a source that is missing, empty or in use is refused, on both engines")
    func sources() async throws {
        let missing = await refusal(file("none"), file("b"))
        #expect(missing.contains("there is no database at"))
        let middle = try await postgres()
        let empty = await refusal(middle, file("b"))
        #expect(empty.contains("has no tables"))
        try await change("a")
        _ = try await copy(file("a"), middle)
        let database = try await ProgramDatabase.idp.open(middle, .quiet)
        // Connections are opened by the first call.
        _ = try await database.read { try $0.query("SELECT id FROM account") }
        let used = await refusal(middle, file("b"))
        #expect(used.contains("other connections of the role use it (idp)"))
        await database.close()
        #expect(try await copy(middle, file("b")).count == IdPTable.all.count)
    }
}
