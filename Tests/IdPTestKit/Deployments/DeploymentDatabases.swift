import Foundation
import ProbeKit
import SQLiteStorage
import Storage
import Synchronization

@testable import IdPSchema
@testable import IdPServer
@testable import PostgresStorage
@testable import RelyingParty
@testable import TestKit
@testable import WebTestKit

/// The databases of one deployment: files, or with `SSO_TEST_DATABASE=postgres` schemas of one PostgreSQL server, so that the
/// same tests hold both engines to the same claims.
final class DeploymentDatabases: Sendable {
    static let areOnPostgres = TestedEngine.isPostgres

    private let folder: TemporaryFolder
    private let schemas = Mutex<[String: PostgresFixture]>([:])

    init(folder: TemporaryFolder) { self.folder = folder }

    /// The path of the IdP's file. On PostgreSQL there is one only where the test has made it.
    var path: String { path(of: "idp") }

    /// Opens the IdP's database. Each call is one more process.
    func openIdP() async throws -> any Database { try await open("idp", IdPMigrations.all) }

    /// Opens the database of a client.
    func openRelyingParty(_ name: String) async throws -> any Database {
        try await open(name, RelyingPartyMigrations.all)
    }

    /// Opens a database of the deployment: `idp`, or a client's id.
    func open(_ name: String, _ migrations: [Migration]) async throws -> any Database {
        guard Self.areOnPostgres, !FileManager.default.fileExists(atPath: path(of: name)) else {
            return try await openFile(name, migrations)
        }
        return try await schema(name).open(migrations, timing: .busy)
    }

    private func openFile(_ name: String, _ migrations: [Migration]) async throws -> any Database {
        switch migrations.map(\.name) {
        case IdPMigrations.all.map(\.name): try await MigratedFiles.openIdP(path(of: name))
        case RelyingPartyMigrations.all.map(\.name): try await MigratedFiles.openRelyingParty(path(of: name))
        default: try await SQLiteDatabase(path: path(of: name), migrations: migrations)
        }
    }

    private func schema(_ name: String) async throws -> PostgresFixture {
        if let known = schemas.withLock({ $0[name] }) { return known }
        let made = try await Self.emptySchema(name == "idp" ? .idp : .relyingParty)
        return schemas.withLock { schemas in
            let schema = schemas[name] ?? made
            schemas[name] = schema
            return schema
        }
    }

    // MARK: - Schemas that are used again

    /// Which tables a schema has.
    private enum Kind: Hashable { case idp, relyingParty }

    /// Schemas of deployments that have ended. To make one takes longer than most tests do.
    private static let used = Mutex<[Kind: [PostgresFixture]]>([:])

    private static func emptySchema(_ kind: Kind) async throws -> PostgresFixture {
        let migrations = kind == .idp ? IdPMigrations.all : RelyingPartyMigrations.all
        while let old = used.withLock({ $0[kind]?.popLast() }) {
            if try await old.empty(steps: migrations.count) { return old }
        }
        let made = try await PostgresFixture.make()
        try await made.addFunctionsOfSQLite()
        return made
    }

    deinit {
        let ended = schemas.withLock { $0 }
        Self.used.withLock { used in
            for (name, schema) in ended { used[name == "idp" ? .idp : .relyingParty, default: []].append(schema) }
        }
    }

    private func path(of name: String) -> String { folder.path(of: "\(name).sqlite") }
}
