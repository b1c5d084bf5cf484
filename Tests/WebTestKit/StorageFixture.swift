import Dispatch
import Foundation
import Storage

@testable import SQLiteStorage
@testable import TestKit

/// A database file for one test, with a table of tokens. The suite keeps it, so that it exists longer than the test.
struct StorageFixture {
    static let migrations = [
        Migration(
            name: "v001-token",
            sql: [
                "CREATE TABLE token (id INTEGER NOT NULL PRIMARY KEY, owner TEXT NOT NULL UNIQUE, used_by INTEGER)",
                "CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, body BLOB)",
            ])
    ]

    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "test.sqlite")
    }

    func open(_ migrations: [Migration] = Self.migrations, patience: Duration = .seconds(5)) async throws
        -> SQLiteDatabase
    {
        try await SQLiteDatabase(path: path, migrations: migrations, patience: patience)
    }

    func size(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: name)[.size] as? Int) ?? -1
    }

    func mode(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int) ?? -1
    }
}

/// The error that a body of a test throws.
struct BodyError: Error, Equatable { let number: Int64 }

extension Database {
    func insertToken(_ id: Int64) async throws {
        try await write {
            try $0.execute(
                "INSERT INTO token (id, owner) VALUES (:id, :owner)",
                ["id": .integer(id), "owner": .text("owner-\(id)")])
        }
    }

    func count(_ table: String = "token") async throws -> Int64 {
        try await read { try $0.query("SELECT count(*) AS n FROM \(table)").first?.integer("n") ?? -1 }
    }

    /// A write that holds the writer until `gate` is signalled, so that other writes wait. Returns when it holds the writer.
    func hold(_ gate: DispatchSemaphore) async -> Task<Void, any Error> {
        let (isHolding, signal) = AsyncStream<Never>.makeStream()
        let task = Task {
            defer { signal.finish() }
            try await write { connection in
                // An engine may take its lock with the first statement.
                _ = try connection.query("SELECT 1 AS n")
                signal.finish()
                // PostgreSQL ends a transaction that says nothing for five seconds.
                for _ in 1...30 {
                    if gate.wait(timeout: .now() + 1) == .success { return }
                    _ = try connection.query("SELECT 1 AS n")
                }
                throw BodyError(number: -1)
            }
        }
        for await _ in isHolding {}
        return task
    }
}

extension SQLiteDatabase {
    /// Waits until so many writes wait for their turn.
    func queued(_ count: Int) async throws {
        try await eventually("\(count) writes wait") { waitingWrites == count ? () : nil }
    }
}
