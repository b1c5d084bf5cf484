import Foundation
import Glibc
import SQLiteStorage
import Storage
import Testing

@testable import TestKit
@testable import WebTestKit

@Suite("Databases that are refused at start", .rules)
struct SQLiteOpeningErrorTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    /// Opens the fixture's path and returns the error: one line that names the path.
    private func openingError(_ migrations: [Migration] = StorageFixture.migrations) async throws
        -> String
    {
        do {
            await (try fixture.open(migrations)).close()
            Issue.record("it was accepted")
            return ""
        } catch DatabaseError.refused(let line) {
            #expect(line.contains(fixture.path))
            #expect(!line.contains("\n"))
            return line
        }
    }

    /// Creates a valid, closed database of a few hundred pages.
    private func fill() async throws {
        let database = try await fixture.open()
        try await database.write { connection in
            try connection.execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                INSERT INTO note (body) SELECT randomblob(200) FROM n
                """)
        }
        await database.close()
    }

    private func change(_ edit: (inout Data) -> Void) throws {
        let url = URL(fileURLWithPath: fixture.path)
        var data = try Data(contentsOf: url)
        edit(&data)
        try data.write(to: url)
    }

    @Test("the database of a newer version, which stays as it is")
    func newer() async throws {
        let next = StorageFixture.migrations + [Migration(name: "v002-next", sql: ["CREATE TABLE next (id INTEGER)"])]
        await (try fixture.open(next)).close()
        #expect(try await openingError().contains("newer version (step v002-next)"))
        await (try fixture.open(next)).close()
    }

    @Test("an inspection names the steps that a start will apply, and applies none")
    func pendingSteps() async throws {
        await (try fixture.open()).close()
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let next = StorageFixture.migrations + [Migration(name: "v002-next", sql: ["CREATE TABLE next (id INTEGER)"])]
        #expect(try await SQLiteDatabase.inspect(path: fixture.path, migrations: next) == ["v002-next"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == before)
        await (try fixture.open(next)).close()
        #expect(try await SQLiteDatabase.inspect(path: fixture.path, migrations: next) == [])
    }

    @Test("the database of another program")
    func foreign() async throws {
        await (try fixture.open()).close()
        #expect(try await openingError([Migration(name: "v001-other", sql: [])]).contains("not ours"))
    }

    @Test("a file that is not a database")
    func garbage() async throws {
        try fixture.folder.write(String(repeating: "this is no database. ", count: 1_000), to: "test.sqlite")
        #expect(try await openingError().contains("not an SQLite database"))
    }

    @Test("an empty file")
    func empty() async throws {
        try fixture.folder.write("", to: "test.sqlite")
        #expect(try await openingError().contains("0 bytes"))
        #expect(fixture.size(fixture.path) == 0)
    }

    @Test("a file cut off", arguments: [100, 4_096, 300_000, -4_096])
    func truncated(length: Int) async throws {
        try await fill()
        try change { data in data = length > 0 ? data.prefix(length) : data.dropLast(-length) }
        let line = try await openingError()
        #expect(line.contains("damaged") || line.contains("not an SQLite database"))
    }

    @Test("a file overwritten at the start, in the middle, or at the end", arguments: [0.0, 0.5, 0.99])
    func overwritten(position: Double) async throws {
        try await fill()
        try change { data in
            let start = Int(Double(data.count) * position)
            for index in start..<min(start + 8_192, data.count) { data[index] = UInt8.random(in: 1...255) }
        }
        let line = try await openingError()
        #expect(line.contains("damaged") || line.contains("not an SQLite database"))
    }

    @Test("a folder instead of a file")
    func folder() async throws {
        _ = try fixture.folder.folder("test.sqlite")
        #expect(try await openingError().contains("not a file"))
    }

    @Test("a missing database whose write-ahead log exists")
    func logAlone() async throws {
        let database = try await fixture.open()
        try await database.insertToken(1)
        let log = try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal"))
        await database.close()
        try FileManager.default.removeItem(atPath: fixture.path)
        try log.write(to: URL(fileURLWithPath: fixture.path + "-wal"))
        #expect(try await openingError().contains("it is missing, but its log"))
        #expect(fixture.size(fixture.path) == -1)
    }

    @Test("a read-only file", .enabled(if: getuid() != 0, "root may write everything"))
    func readOnlyFile() async throws {
        try await fill()
        chmod(fixture.path, 0o400)
        #expect(try await openingError().contains("read-only"))
    }

    @Test("a read-only file system", .enabled(if: SmallDisk.canMount, "mounting needs root"))
    func readOnlyDisk() async throws {
        let disk = try SmallDisk(kilobytes: 2_048)
        let path = disk.path + "/test.sqlite"
        await (try SQLiteDatabase(path: path, migrations: StorageFixture.migrations)).close()
        try disk.remount("ro")
        do {
            _ = try await SQLiteDatabase(path: path, migrations: StorageFixture.migrations)
            Issue.record("it was accepted")
        } catch {
            #expect("\(error)".contains("read-only"))
        }
    }

    @Test(
        "a read-only folder of a file that can be written, at the inspection too",
        .enabled(if: SmallDisk.canMount, "mounting needs root"))
    func readOnlyFolder() async throws {
        await (try fixture.open()).close()
        let view = try ReadOnlyView(of: fixture.folder.path)
        let path = view.path + "/test.sqlite"
        try #require(mount(fixture.path, path, nil, UInt(MS_BIND), nil) == 0)
        for isInspected in [true, false] {
            do throws(DatabaseError) {
                if isInspected {
                    _ = try await SQLiteDatabase.inspect(path: path, migrations: StorageFixture.migrations)
                } else {
                    await (try SQLiteDatabase(path: path, migrations: StorageFixture.migrations)).close()
                }
                Issue.record("it was accepted, \(isInspected)")
            } catch {
                #expect("\(error)".contains("\(path): its folder is read-only."), "\(error)")
            }
        }
        withExtendedLifetime(view) {}
    }

    @Test("a folder that cannot be created")
    func folderAtPath() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a file", to: "var")
        do {
            _ = try await SQLiteDatabase(path: folder.path(of: "var/idp.sqlite"), migrations: [])
            Issue.record("it was accepted")
        } catch {
            #expect("\(error)".contains("its folder cannot be made"))
        }
    }
}
