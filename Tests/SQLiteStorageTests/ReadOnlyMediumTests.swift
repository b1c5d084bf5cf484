import Foundation
import Storage
import Testing

@testable import SQLiteStorage
@testable import TestKit
@testable import WebTestKit

@Suite("A database that is only read", .rules)
struct ReadOnlyMediumTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    private static func reader(
        _ path: String, _ migrations: [Migration] = StorageFixture.migrations
    ) async throws -> any Database {
        try await SQLiteDatabase.openToRead(path: path, migrations: migrations)
    }

    /// The line with which a database is refused.
    private static func refusal(_ body: () async throws -> Void) async -> String {
        do { try await body() } catch DatabaseError.refused(let line) { return line } catch { return "\(error)" }
        return "nothing was refused"
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted()
    }

    /// A disk with copies of the fixture's files, which were made while the database was in use; read-only.
    private static func snapshot(of fixture: StorageFixture, _ suffixes: [String]) throws -> SmallDisk {
        let disk = try SmallDisk(kilobytes: 4_096)
        for suffix in suffixes {
            try FileManager.default.copyItem(
                atPath: fixture.path + suffix, toPath: disk.path + "/test.sqlite" + suffix)
        }
        try disk.remount("ro")
        return disk
    }

    @Test("is read where this user can write nothing, and nothing is written beside it", arguments: [false, true])
    func withoutPermission(hasEmptyLog: Bool) async throws {
        let database = try await fixture.open()
        try await database.insertToken(1)
        await database.close()
        if hasEmptyLog { try fixture.folder.write("", to: "test.sqlite-wal") }
        let (before, content) = (try names(), try Data(contentsOf: URL(fileURLWithPath: fixture.path)))
        chmod(fixture.path, 0o400)
        chmod(fixture.folder.path, 0o500)
        defer { chmod(fixture.folder.path, 0o700) }
        let reader = try await Self.reader(fixture.path)
        #expect(try await reader.count() == 1)
        await #expect(throws: DatabaseError.self) { try await reader.insertToken(2) }
        await reader.close()
        let copy = try TemporaryFolder()
        let bytes = try await SQLiteDatabase.backup(
            path: fixture.path, migrations: StorageFixture.migrations, keys: nil, to: copy.path(of: "backup"))
        #expect(bytes > 0)
        #expect(try await Self.reader(copy.path(of: "backup")).count() == 1)
        #expect(try names() == before)
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == content)
        if getuid() != 0 {
            #expect(await Self.refusal { _ = try await fixture.open() }.contains("it is read-only. Make it"))
        }
    }

    @Test(
        "is read beside the service that uses it, by way of a folder that is mounted read-only, and as it then is",
        .enabled(if: SmallDisk.canMount, "mounting needs root"))
    func live() async throws {
        let database = try await fixture.open()
        let view = try ReadOnlyView(of: fixture.folder.path)
        defer { withExtendedLifetime(view) {} }
        let path = view.path + "/test.sqlite"
        let reader = try await Self.reader(path)
        for number in 1...3 {
            try await database.insertToken(Int64(number))
            #expect(try await reader.count() == Int64(number))
        }
        let copy = try TemporaryFolder()
        _ = try await SQLiteDatabase.backup(
            path: path, migrations: StorageFixture.migrations, keys: nil, to: copy.path(of: "backup"))
        #expect(try await Self.reader(copy.path(of: "backup")).count() == 3)
        let words = await Self.refusal {
            _ = try await SQLiteDatabase(path: path, migrations: StorageFixture.migrations)
        }
        #expect(words.contains("its file system is mounted read-only. Mount it writable"), "\(words)")
        await database.close()
        #expect(try await reader.count() == 3)
    }

    @Test(
        "with a log that holds changes is read with them where its index is there, and refused with a way out where not",
        .enabled(if: SmallDisk.canMount, "mounting needs root"), arguments: [true, false])
    func log(hasIndex: Bool) async throws {
        let database = try await fixture.open()
        try await database.insertToken(1)
        let disk = try Self.snapshot(of: fixture, ["", "-wal"] + (hasIndex ? ["-shm"] : []))
        defer { withExtendedLifetime(disk) {} }
        await database.close()
        let path = disk.path + "/test.sqlite"
        let copy = try TemporaryFolder()
        func backup() async throws {
            _ = try await SQLiteDatabase.backup(
                path: path, migrations: StorageFixture.migrations, keys: nil, to: copy.path(of: "backup"))
        }
        guard hasIndex else {
            for words in [
                await Self.refusal { _ = try await Self.reader(path) }, await Self.refusal { try await backup() },
            ] {
                #expect(words.contains("its log \(path)-wal holds changes"), "\(words)")
                #expect(words.contains("Copy the database and its log to a folder that this user can write to"))
            }
            return
        }
        #expect(try await Self.reader(path).count() == 1)
        try await backup()
        #expect(try await Self.reader(copy.path(of: "backup")).count() == 1)
    }

    @Test("with a change that was broken off is refused: without what takes it back it would be read half")
    func journal() async throws {
        await (try fixture.open()).close()
        try fixture.folder.write("pages", to: "test.sqlite-journal")
        let reader = try await Self.reader(fixture.path)
        #expect(await Self.refusal { _ = try await reader.count() }.contains("a change to it was broken off"))
    }

    @Test("that lacks steps is refused and stays as it is, and so does one that is missing")
    func steps() async throws {
        await (try fixture.open()).close()
        let content = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let next = StorageFixture.migrations + [Migration(name: "v002-next", sql: ["CREATE TABLE next (id INTEGER)"])]
        let words = await Self.refusal { _ = try await Self.reader(fixture.path, next) }
        #expect(words.contains("it lacks steps of the schema that this version has. Start this version on it once"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == content)
        let missing = fixture.folder.path(of: "missing")
        #expect(await Self.refusal { _ = try await Self.reader(missing) } == "there is no database at \(missing).")
        #expect(try names() == ["test.sqlite"])
    }

    @Test("and is a backup stays a backup, byte for byte, also where it could be written")
    func ofBackup() async throws {
        await (try fixture.open()).close()
        let backup = fixture.folder.path(of: "backup")
        _ = try await SQLiteDatabase.backup(
            path: fixture.path, migrations: StorageFixture.migrations, keys: nil, to: backup)
        let (before, content) = (try names(), try Data(contentsOf: URL(fileURLWithPath: backup)))
        #expect(try await Self.reader(backup).count() == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: backup)) == content)
        #expect(try names() == before)
    }

    @Test("is read again when another process begins to use it meanwhile, or has used it")
    func begins() async throws {
        await (try fixture.open()).close()
        let reader = try await Self.reader(fixture.path)
        #expect(try await reader.count() == 0)
        let database = try await fixture.open()
        try await database.insertToken(1)
        #expect(try await reader.count() == 1)
        await database.close()
        #expect(try await reader.count() == 1)

        let opening = SQLiteOpening(
            file: SQLiteFile(path: fixture.path), migrator: Migrator(migrations: StorageFixture.migrations),
            patience: .seconds(1))
        var runs = 0
        try opening.withReader { _ in
            runs += 1
            if runs == 1 { try fixture.folder.write("", to: "test.sqlite-wal") }
        }
        #expect(runs == 2)
        let words = await Self.refusal {
            try opening.withReader { _ in
                runs += 1
                utimes(fixture.path, [timeval(tv_sec: runs, tv_usec: 0), timeval(tv_sec: runs, tv_usec: 0)])
            }
        }
        #expect(words.contains("another process begins and ends to use it again and again"), "\(words)")
        #expect(runs == 5)
    }
}
