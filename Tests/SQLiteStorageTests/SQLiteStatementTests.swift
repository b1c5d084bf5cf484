import Dispatch
import Foundation
import Storage
import Testing

@testable import SQLiteStorage
@testable import TestKit
@testable import WebTestKit

@Suite("SQLite's statements and connections", .rules)
struct SQLiteStatementTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    private func memory() throws -> (SQLiteHandle, SQLiteConnection) {
        let handle = try SQLiteHandle(path: ":memory:", .readWrite)
        try handle.run("CREATE TABLE item (id INTEGER PRIMARY KEY, owner TEXT); INSERT INTO item VALUES (1, 'ann')")
        return (handle, SQLiteConnection(handle))
    }

    private func kind(_ body: () throws -> Void) -> DatabaseError.Kind? {
        do { try body() } catch { return DatabaseError(error).kind }
        return nil
    }

    @Test("a text is prepared once, and the number of prepared statements is bounded")
    func bounded() throws {
        let (handle, connection) = try memory()
        let before = handle.statementCount
        for _ in 1...3 { #expect(try connection.query("SELECT owner FROM item").first?.text("owner") == "ann") }
        #expect(handle.statementCount == before + 1)
        for number in 0..<(SQLiteHandle.statementLimit + 200) {
            #expect(try connection.query("SELECT \(number) AS n").first?.integer("n") == Int64(number))
        }
        #expect(handle.statementCount == SQLiteHandle.statementLimit)
        #expect(try connection.query("SELECT owner FROM item").first?.text("owner") == "ann")
    }

    @Test("a statement that runs is not used a second time, and its second copy is not kept")
    func running() throws {
        let (handle, connection) = try memory()
        let sql = "SELECT id FROM item WHERE id = :id"
        let before = handle.statementCount
        let found = try connection.rows(sql, ["id": 1]) { outer in
            let inner = [2, 1].map { id in try? connection.query(sql, ["id": id]).count }
            return (try outer.integer("id"), inner)
        }
        #expect(found.count == 1 && found.allSatisfy { $0 == 1 && $1 == [0, 1] })
        #expect(handle.statementCount == before + 1)
    }

    @Test("a statement that is removed while its rows are read goes on")
    func removed() throws {
        let (_, connection) = try memory()
        var ids: [Int64] = []
        try connection.forEachRow("SELECT 1 AS id UNION ALL SELECT 2 ORDER BY 1", [:]) { row in
            for number in 0...SQLiteHandle.statementLimit { try connection.execute("SELECT -\(number)") }
            ids.append(try row.integer("id"))
        }
        #expect(ids == [1, 2])
    }

    @Test("the columns of * are those of the table as it is now, also after another connection has changed it")
    func columns() throws {
        let (writer, reader) = (
            try SQLiteHandle(path: fixture.path, .readWrite), try SQLiteHandle(path: fixture.path, .readWrite)
        )
        try writer.run("CREATE TABLE item (id INTEGER PRIMARY KEY, owner TEXT); INSERT INTO item VALUES (1, 'ann')")
        let connection = SQLiteConnection(reader)
        #expect(try connection.query("SELECT * FROM item").first?.text("owner") == "ann")
        try writer.run(
            "ALTER TABLE item RENAME COLUMN owner TO user; ALTER TABLE item ADD COLUMN more TEXT DEFAULT 'm'")
        let row = try #require(try connection.query("SELECT * FROM item").first)
        #expect(try row.text("user") == "ann" && row.text("more") == "m")
        let more = try connection.rows("SELECT * FROM item") { try $0.text("more") }
        #expect(more == ["m"])
        let missing = kind { _ = try row.text("owner") }
        #expect(missing == .misuse)
    }

    @Test("several statements in one text, a value without a name and a text in double quotes are misuses")
    func refused() throws {
        let (_, connection) = try memory()
        for sql in [
            "SELECT 1; DELETE FROM item", "SELECT ?", "SELECT :a, ?", "SELECT \"ann\" FROM item", "", " ", "-- nothing",
        ] {
            let refused = kind { _ = try connection.query(sql, ["a": 1]) }
            #expect(refused == .misuse, "\(sql)")
        }
        #expect(try connection.query("SELECT \"owner\" FROM item;\n ").first?.text("owner") == "ann")
        #expect(try connection.query("SELECT count(*) AS n FROM item").first?.integer("n") == 1)
    }

    @Test("bytes of a large value do not stay with the statement, and the next run has its own")
    func largeValues() throws {
        let (_, connection) = try memory()
        let sql = "SELECT length(:a) AS n, :b AS b"
        for count in [1, 70_000, 0, 200, 70_000, 3] {
            let row = try #require(
                try connection.query(sql, ["a": .blob([UInt8](repeating: 1, count: count)), "b": .text("b\(count)")])
                    .first)
            #expect(try row.integer("n") == Int64(count) && row.text("b") == "b\(count)")
        }
    }

    @Test("a connection that is closed is closed once, and interrupting it afterwards does nothing")
    func closed() throws {
        let handle = try SQLiteHandle(path: fixture.path, .readWrite)
        handle.close()
        handle.interrupt()
        handle.close()
    }

    @Test("the connections have the settings that durability and foreign keys rest on")
    func settings() async throws {
        let database = try await fixture.open()
        @Sendable func pragma(_ name: String, _ connection: any SQLConnection) throws -> SQLValue? {
            try connection.query("PRAGMA \(name)").first?.values.first ?? nil
        }
        let expected: [(String, SQLValue, SQLValue)] = [
            ("synchronous", 2, 2), ("journal_mode", "wal", "wal"), ("foreign_keys", 1, 1), ("temp_store", 2, 2),
            ("cache_size", -8192, -1024), ("wal_autocheckpoint", 4_000, 1_000),
            ("journal_size_limit", 67_108_864, -1), ("locking_mode", "normal", "normal"),
        ]
        for (name, writer, reader) in expected {
            #expect(try await database.write { try pragma(name, $0) } == writer, "\(name)")
            #expect(try await database.read { try pragma(name, $0) } == reader, "\(name)")
        }
        await #expect(throws: DatabaseError.self) {
            try await database.read { try $0.execute("DELETE FROM token") }
        }
        await database.close()
    }

    @Test("reads run beside one another, and the last connection moves the log into the file")
    func readers() async throws {
        let database = try await fixture.open()
        try await database.insertToken(1)
        let together = Rendezvous(SQLiteOpening.readers)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...SQLiteOpening.readers {
                group.addTask {
                    try await database.read { connection in
                        let count = try connection.query("SELECT count(*) AS n FROM token").first?.integer("n")
                        #expect(count == 1)
                        #expect(together.arrive(), "the others have not come")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(fixture.size(fixture.path + "-wal") > 0)
        await database.close()
        #expect(fixture.size(fixture.path + "-wal") == -1 && fixture.size(fixture.path + "-shm") == -1)
        #expect(fixture.size(fixture.path) > 0)
        await #expect(throws: DatabaseError.unavailable("the database is closed")) { try await database.count() }
    }
}

/// Where several threads wait for one another.
private final class Rendezvous: Sendable {
    private let arrived: DispatchGroup

    init(_ count: Int) {
        arrived = DispatchGroup()
        for _ in 0..<count { arrived.enter() }
    }

    /// False when the others have not come within ten seconds.
    func arrive() -> Bool {
        arrived.leave()
        return arrived.wait(timeout: .now() + 10) == .success
    }
}
