import Foundation
import ProbeKit
import SQLiteStorage
import StorageEngines
import Testing

@testable import IdPSchema
@testable import IdPServer
@testable import PostgresStorage
@testable import SSOWeb
@testable import Storage
@testable import TestKit
@testable import WebTestKit

/// Decision 0098: nothing goes on in a database that was copied elsewhere.
@Suite("A database that has moved", .program, .alsoOnPostgres)
struct MovedDatabaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String) -> DatabaseLocation { .sqlite(path: folder.path(of: name)) }

    private func postgres() async throws -> DatabaseLocation {
        let url = try await PostgresFixture.makeDatabase()
        return .postgres(try ProgramDatabase.idp.postgres(url, allowsPlaintext: false, readers: 1))
    }

    private func make(_ location: DatabaseLocation) async throws {
        let database = try await ProgramDatabase.idp.open(location, .quiet)
        try await database.stored.accounts.add(AddedAccount("a", "ann@example.com", name: "Ann"))
        await database.close()
    }

    /// What became of the source.
    private func copy(
        _ source: DatabaseLocation, _ target: DatabaseLocation, keepsSource: Bool = false
    ) async throws -> CopiedSource {
        let (ends, tables) = (ProgramDatabase.idp.copyEnds, IdPTable.all.map(\.name))
        return try await BlockingWork.run { () throws(DatabaseError) in
            try ends.source(source, keepsSource ? nil : target.lasting) { from throws(DatabaseError) in
                try ends.target(target) { to throws(DatabaseError) in
                    try DatabaseCopy(tables: tables).run(from: from, to: to)
                }
            }.1
        }
    }

    private func accounts(_ location: DatabaseLocation) async throws -> Int {
        let database = try await ProgramDatabase.idp.open(location, .quiet)
        let count = try await database.stored.count(of: "account")
        await database.close()
        return count
    }

    @Test(
        "is refused with the new place, whatever looks at it, until the mark is taken back",
        arguments: ["file", "postgres"], ["file", "postgres"])
    func marked(from: String, to: String) async throws {
        let source = from == "file" ? file("a") : try await postgres()
        let target = to == "file" ? file("b") : try await postgres()
        try await make(source)
        #expect(try await copy(source, target) == .marked)
        #expect(try await accounts(target) == 1)
        let program = ProgramDatabase.idp
        let uses: [@Sendable () async throws -> Void] = [
            { _ = try await program.open(source, .quiet) },
            { _ = try await program.inspect(source) },
        ]
        for use in uses {
            let error = await #expect(throws: DatabaseError.self) { try await use() }
            guard case .outOfUse(let words)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(
                words.contains("it has moved to \(target.lasting)") && words.contains("database unmark"), "\(words)")
            #expect(words.contains(source.place))
        }
        // Neither as the source nor as the target of another copy.
        let other = file("c")
        await #expect(throws: DatabaseError.self) { _ = try await copy(source, other) }
        try await make(other)
        await #expect(throws: DatabaseError.self) { _ = try await copy(other, source) }
        #expect(try await program.unmark(source))
        #expect(try await !program.unmark(source), "the mark is gone")
        #expect(try await accounts(source) == 1)
    }

    @Test("goes on where it was to be kept")
    func kept() async throws {
        try await make(file("a"))
        #expect(try await copy(file("a"), file("b"), keepsSource: true) == .kept)
        #expect(try await accounts(file("a")) == 1)
        #expect(try await accounts(file("b")) == 1)
    }

    @Test("a backup, and a file that cannot be written, are copied without a change of a byte")
    func readOnly() async throws {
        try await make(file("a"))
        let backup = folder.path(of: "backup")
        _ = try await SQLiteDatabase.backup(
            path: folder.path(of: "a"), migrations: IdPMigrations.all, keys: nil, to: backup)
        let before = try Data(contentsOf: URL(filePath: backup))
        #expect(try await copy(.sqlite(path: backup), file("b")) == .unmarked("it is a backup"))
        #expect(try Data(contentsOf: URL(filePath: backup)) == before)
        #expect(try await accounts(file("b")) == 1)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasPrefix("backup-") })
    }

    @Test("cannot be backed up, and no backup is restored in its place")
    func backups() async throws {
        try await make(file("a"))
        let (path, backup) = (folder.path(of: "a"), folder.path(of: "backup"))
        _ = try await SQLiteDatabase.backup(path: path, migrations: IdPMigrations.all, keys: nil, to: backup)
        #expect(try await copy(file("a"), file("b")) == .marked)
        let before = try Data(contentsOf: URL(filePath: path))
        let uses: [@Sendable () async throws -> Void] = [
            {
                _ = try await SQLiteDatabase.backup(
                    path: path, migrations: IdPMigrations.all, keys: nil, to: backup + ".late")
            },
            {
                _ = try await SQLiteDatabase.restore(
                    path: path, migrations: IdPMigrations.all, from: backup, keys: nil, acceptsUnverified: true,
                    keepingOldAs: "old"
                ) { _, _ in 0 }
            },
        ]
        for use in uses {
            let error = await #expect(throws: DatabaseError.self) { try await use() }
            #expect(
                error.map { "\($0)" }?.contains("has moved to sqlite:\(folder.path(of: "b"))") == true,
                "\(error as Any)")
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(!FileManager.default.fileExists(atPath: backup + ".late"))
    }

    @Test("a process that still runs on it is not ready any more")
    func running() async throws {
        let location = try await postgres()
        let database = try await ProgramDatabase.idp.open(location, .quiet)
        try await database.checkReady()
        try await database.write { try MovedDatabase.mark("sqlite:/elsewhere", $0) }
        await #expect(throws: DatabaseError.schema(step: "moved")) {
            try await database.checkReady()
        }
        await database.close()
    }
}
