import Foundation
import SSOShared
import Storage
import Testing

@testable import SQLiteStorage
@testable import TestKit
@testable import WebTestKit

extension SQLiteFile {
    /// When a name was last made or removed in a folder.
    fileprivate static func changed(_ folder: String) -> [Int] {
        var status = stat()
        return stat(folder, &status) == 0 ? [status.st_mtim.tv_sec, status.st_mtim.tv_nsec] : []
    }
}

@Suite("The checksum and the code of a backup", .rules)
struct BackupSealTests {
    private let fixture: StorageFixture
    private let live: String
    private let backup: String

    init() throws {
        fixture = try StorageFixture()
        live = fixture.folder.path(of: "live.sqlite")
        backup = fixture.folder.path(of: "backup.sqlite")
    }

    private static func keys(_ texts: String...) throws -> DerivedKeys {
        try DerivedKeys.parse(texts.joined(separator: ","), setting: "IDP_SECRET_KEY")
    }
    private static let first = "5f0e7b9c1d3a4862b7f8091a2c3d4e5f60718293a4b5c6d7e8f9012b3c4d5e6f"
    private static let second = "a1c3e5079b8d6f4e2c0a1b3d5f7e90c2d4f6a8b0c1e3d5f7092b4d6f8a0c2e4d"

    private func fill(_ migrations: [Migration] = StorageFixture.migrations) async throws {
        let database = try await fixture.open(migrations)
        for number in 1...60 { try await database.insertToken(Int64(number)) }
        await database.close()
    }

    private func back(up keys: DerivedKeys?, _ migrations: [Migration] = StorageFixture.migrations) async throws {
        _ = try await SQLiteDatabase.backup(path: fixture.path, migrations: migrations, keys: keys, to: backup)
    }

    /// Restores over the live database.
    @discardableResult
    private func restore(
        _ keys: DerivedKeys?, from file: String? = nil, unverified: Bool = false,
        _ migrations: [Migration] = StorageFixture.migrations
    ) async throws -> BackupOrigin {
        try await SQLiteDatabase.restore(
            path: live, migrations: migrations, from: file ?? backup, keys: keys, acceptsUnverified: unverified,
            keepingOldAs: "old-\(UInt64.random(in: 0...UInt64.max))"
        ) { _, _ in }.origin
    }

    /// The words of the refusal.
    private func refusal(_ body: () async throws -> Void) async throws -> String {
        do { try await body() } catch DatabaseError.refused(let words) {
            #expect(!words.contains("\n"))
            return words
        }
        return ""
    }

    @Test("one changed bit anywhere in a backup is found, with and without the key; then the backup itself is restored")
    func flips() async throws {
        try await fill()
        let keys = try Self.keys(Self.first)
        try await back(up: keys)
        let whole = try Data(contentsOf: URL(filePath: backup))
        await (try SQLiteDatabase(path: live, migrations: StorageFixture.migrations)).close()
        let before = try Data(contentsOf: URL(filePath: live))
        // Every byte of the first 120 and of the last line, and 400 places in between (SplitMix64, seed 1).
        var state: UInt64 = 1
        func random(_ bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((z ^ (z >> 31)) % UInt64(bound))
        }
        let places =
            Array(0..<120) + (0..<400).map { _ in random(whole.count) }
            + Array((whole.count - BackupSeal.length)..<whole.count)
        let changed = fixture.folder.path(of: "changed.sqlite")
        for (number, place) in places.enumerated() {
            var copy = whole
            copy[place] ^= 1 << UInt8(random(8))
            try copy.write(to: URL(filePath: changed))
            let words = try await refusal {
                try await restore(number.isMultiple(of: 2) ? keys : nil, from: changed, unverified: true)
            }
            #expect(words.contains(changed), "byte \(place) of \(whole.count): \(words)")
        }
        #expect(try Data(contentsOf: URL(filePath: live)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).count == 4)
        #expect(try await restore(keys) == .proven)
        let restored = try await SQLiteDatabase(path: live, migrations: StorageFixture.migrations)
        #expect(try await restored.count() == 60)
        await restored.close()
    }

    @Test("other programs read a backup as it is")
    func readable() async throws {
        try await fill()
        try await back(up: try Self.keys(Self.first))
        let database = try await SQLiteDatabase(path: backup, migrations: StorageFixture.migrations)
        #expect(try await database.count() == 60)
        await database.close()
    }

    @Test("is checked where nothing can be written, and nothing is written beside it")
    func readOnly() async throws {
        try await fill()
        let keys = try Self.keys(Self.first)
        try await back(up: keys)
        // An empty log is none, and must not make SQLite open a new one.
        try fixture.folder.write("", to: "backup.sqlite-wal")
        let before = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted()
        chmod(backup, 0o400)
        chmod(fixture.folder.path, 0o500)
        defer { chmod(fixture.folder.path, 0o700) }
        let changed = SQLiteFile.changed(fixture.folder.path)
        let origin = try await SQLiteDatabase.verify(
            backup: backup, migrations: StorageFixture.migrations, keys: keys)
        #expect(origin == .proven)
        #expect(SQLiteFile.changed(fixture.folder.path) == changed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted() == before)
    }

    @Test("is checked on a read-only medium", .enabled(if: SmallDisk.canMount, "mounting needs root"))
    func readOnlyDisk() async throws {
        let disk = try SmallDisk(kilobytes: 2_048)
        try await fill()
        try await back(up: nil)
        try FileManager.default.copyItem(atPath: backup, toPath: disk.path + "/backup.sqlite")
        try disk.remount("ro")
        let origin = try await SQLiteDatabase.verify(
            backup: disk.path + "/backup.sqlite", migrations: StorageFixture.migrations, keys: nil)
        #expect(origin == .unsigned)
        #expect(try await restore(nil, from: disk.path + "/backup.sqlite") == .unsigned)
    }

    @Test("with the journal of a process that has crashed beside it is refused", arguments: ["-wal", "-journal"])
    func besides(suffix: String) async throws {
        try await fill()
        try await back(up: nil)
        try fixture.folder.write("pages", to: "backup.sqlite" + suffix)
        let words = try await refusal {
            _ = try await SQLiteDatabase.verify(backup: backup, migrations: StorageFixture.migrations, keys: nil)
        }
        #expect(words.contains("has a log beside it"), "\(words)")
    }

    /// Which backup is restored where, and what comes of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let made, here: [String]?
        var isUnsealed = false
        /// Nil: refused.
        let plain, unverified: BackupOrigin?
    }

    @Test(
        "a backup of unknown origin is refused where a key is set, unless the operator accepts it",
        arguments: [
            Case(testDescription: "same key", made: [first], here: [first], plain: .proven, unverified: .proven),
            Case(
                testDescription: "old key", made: [second], here: [first, second], plain: .proven, unverified: .proven),
            Case(testDescription: "other key", made: [second], here: [first], plain: nil, unverified: .otherKey),
            Case(testDescription: "code removed", made: nil, here: [first], plain: nil, unverified: .unsigned),
            Case(testDescription: "no key at all", made: nil, here: nil, plain: .unsigned, unverified: .unsigned),
            Case(testDescription: "no key here", made: [first], here: nil, plain: .unchecked, unverified: .unchecked),
            Case(
                testDescription: "last line removed", made: [first], here: [first], isUnsealed: true, plain: nil,
                unverified: .unsealed),
            Case(
                testDescription: "last line removed, no key here", made: nil, here: nil, isUnsealed: true, plain: nil,
                unverified: .unsealed),
        ])
    func origins(_ test: Case) async throws {
        func keys(_ texts: [String]?) throws -> DerivedKeys? {
            try texts.map { try DerivedKeys.parse($0.joined(separator: ","), setting: "IDP_SECRET_KEY") }
        }
        try await fill()
        try await back(up: keys(test.made))
        if test.isUnsealed {
            let whole = try Data(contentsOf: URL(filePath: backup))
            try whole.dropLast(BackupSeal.length).write(to: URL(filePath: backup))
        }
        if let origin = test.plain {
            #expect(try await restore(keys(test.here)) == origin)
        } else {
            let words = try await refusal { try await restore(keys(test.here)) }
            #expect(words.contains("--unverified"), "\(words)")
            #expect(!FileManager.default.fileExists(atPath: live))
        }
        #expect(try await restore(keys(test.here), unverified: true) == test.unverified)
    }

    @Test(
        "triggers, views, and tables and indexes that the steps do not make are refused by name, in a backup and before it",
        arguments: [
            (
                "CREATE TRIGGER pwn AFTER INSERT ON token BEGIN UPDATE token SET used_by = 1; END",
                "trigger pwn is not ours"
            ),
            ("CREATE VIEW peek AS SELECT * FROM token", "view peek is not ours"),
            ("CREATE TABLE extra (id INTEGER)", "table extra is not ours"),
            ("CREATE UNIQUE INDEX one ON token (used_by)", "index one is not ours"),
            ("ALTER TABLE token ADD COLUMN note TEXT", "table token is changed"),
            ("DROP TABLE note", "table note is missing"),
        ])
    func schema(statement: String, words: String) async throws {
        let next = Migration(name: "v002-later", sql: ["CREATE TABLE later (id INTEGER)"])
        try await fill()
        try await back(up: nil)
        for path in [backup, fixture.path] {
            let database = try await SQLiteDatabase(path: path, migrations: StorageFixture.migrations)
            try await database.write { try $0.execute(statement) }
            await database.close()
        }
        for migrations in [StorageFixture.migrations, StorageFixture.migrations + [next]] {
            let refused = try await refusal { try await restore(nil, unverified: true, migrations) }
            #expect(refused.contains(backup) && refused.contains(words), "\(refused)")
        }
        #expect(!FileManager.default.fileExists(atPath: live))
        let second = fixture.folder.path(of: "second.sqlite")
        let refused = try await refusal {
            _ = try await SQLiteDatabase.backup(
                path: fixture.path, migrations: StorageFixture.migrations, keys: nil, to: second)
        }
        #expect(refused.contains(fixture.path) && refused.contains(words), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: second))
    }

    @Test("a backup of an earlier step is restored with the later steps, also after ANALYZE")
    func olderStep() async throws {
        let next = Migration(name: "v002-later", sql: ["ALTER TABLE note RENAME TO remark"])
        try await fill()
        let database = try await fixture.open()
        try await database.write { try $0.execute("ANALYZE") }
        await database.close()
        try await back(up: nil, StorageFixture.migrations + [next])
        try await restore(nil, StorageFixture.migrations + [next])
        let restored = try await SQLiteDatabase(path: live, migrations: StorageFixture.migrations + [next])
        #expect(try await restored.count("remark") == 0)
        #expect(try await restored.count() == 60)
        await restored.close()
    }

    @Test("the schema is compared without white space and quotes, and with everything else")
    func normalised() {
        let plain = SchemaCheck.normalised("CREATE TABLE a (id INTEGER, b TEXT)")
        #expect(plain == SchemaCheck.normalised("CREATE TABLE \"a\"  (\n    id INTEGER ,\n    b TEXT\n)"))
        for other in ["CREATE TABLE a (id INTEGER, b TEXT UNIQUE)", "CREATE TABLE a (id INTEGER, bTEXT)"] {
            #expect(plain != SchemaCheck.normalised(other))
        }
    }
}
