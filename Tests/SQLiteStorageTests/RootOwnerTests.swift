import Foundation
import Storage
import Testing

@testable import SQLiteStorage
@testable import TestKit

/// A command that root runs beside a service of another user opens the service's database.
@Suite("Files beside a database that root opens", .rules, .enabled(if: geteuid() == 0))
struct RootOwnerTests {
    @Test("belong to the owner of the database, so that the service can go on to use them")
    func owner() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "db.sqlite")
        let migrations = [Migration(name: "v001", sql: ["CREATE TABLE thing (id INTEGER PRIMARY KEY NOT NULL)"])]
        try await SQLiteDatabase(path: path, migrations: migrations).close()
        let owner: UInt32 = 4711
        try #require(chown(path, owner, owner) == 0)
        let database = try await SQLiteDatabase(path: path, migrations: migrations)
        try await database.write { try $0.execute("INSERT INTO thing (id) VALUES (1)") }
        for file in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + file)
            #expect((attributes[.ownerAccountID] as? NSNumber)?.uint32Value == owner, "\(file)")
        }
        await database.close()
    }
}
