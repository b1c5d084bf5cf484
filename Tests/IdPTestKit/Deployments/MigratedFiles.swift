import Foundation
import SQLiteStorage
import SSOShared
import Storage

@testable import IdPSchema
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit

/// Database files with every migration applied, made once in a run: a deployment begins with a copy. Migrating each one took a
/// third of the time that a deployment costs.
enum MigratedFiles {
    private static let idp = Task { try await content(migratedBy: IdPMigrations.all) }
    private static let relyingParty = Task { try await content(migratedBy: RelyingPartyMigrations.all) }

    /// Opens the IdP's database at a path, where a file may be already.
    static func openIdP(_ path: String) async throws -> any Database {
        try await open(path, IdPMigrations.all, copying: idp.value)
    }

    static func openRelyingParty(_ path: String) async throws -> any Database {
        try await open(path, RelyingPartyMigrations.all, copying: relyingParty.value)
    }

    private static func open(
        _ path: String, _ migrations: [Migration], copying content: Data
    ) async throws -> any Database {
        if !FileManager.default.fileExists(atPath: path) {
            try content.write(to: URL(filePath: path), options: .withoutOverwriting)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        return try await SQLiteDatabase(path: path, migrations: migrations)
    }

    private static func content(migratedBy migrations: [Migration]) async throws -> Data {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.path(of: "migrated.sqlite")
        let database = try await SQLiteDatabase(path: path, migrations: migrations)
        await database.close()
        return try Data(contentsOf: URL(filePath: path))
    }
}
