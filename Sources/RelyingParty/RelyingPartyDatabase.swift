import Logging
import PostgresStorage
import SQLiteStorage
import SSOWeb
import Storage

/// The database of the relying party. Only this file knows which engines there are.
enum RelyingPartyDatabase {
    /// Reads an address of PostgreSQL.
    @Sendable static func postgres(
        _ text: String, allowsPlaintext: Bool, readers: Int
    ) throws(PostgresAddress.ParsingError) -> PostgresAddress {
        try PostgresAddress(text, allowsPlaintext: allowsPlaintext, readers: readers, program: "relying-party")
    }

    /// Opens the database. Creates it if there is none, and applies the missing steps.
    static func open(_ location: DatabaseLocation, _ logger: Logger) async throws(DatabaseError) -> any Database {
        switch location {
        case .sqlite(let path): try await SQLiteDatabase(path: path, migrations: RelyingPartyMigrations.all)
        case .postgres(let address):
            // A state that is unused again is of no use without a token, and the identity provider voids those.
            try await PostgresDatabase(address, migrations: RelyingPartyMigrations.all, logger: logger) { _ in }
        }
    }

    /// Opens a database that is there, and changes nothing.
    static func openUnchanged(
        _ location: DatabaseLocation, _ logger: Logger
    ) async throws(DatabaseError) -> any Database {
        switch location {
        case .sqlite: try await open(location, logger)
        case .postgres(let address):
            try await PostgresDatabase.openUnchanged(address, migrations: RelyingPartyMigrations.all, logger: logger)
        }
    }

    /// The names of the steps that opening the database would apply. Changes nothing.
    static func inspect(_ location: DatabaseLocation) async throws(DatabaseError) -> [String] {
        switch location {
        case .sqlite(let path): try await SQLiteDatabase.inspect(path: path, migrations: RelyingPartyMigrations.all)
        case .postgres(let address):
            try await PostgresDatabase.inspect(address, migrations: RelyingPartyMigrations.all)
        }
    }

    /// Opens both ends of a copy.
    static let copyEnds = DatabaseCopyEnds(
        source: { location, body throws(DatabaseError) in
            switch location {
            case .sqlite(let path):
                try SQLiteDatabase.copySource(path: path, migrations: RelyingPartyMigrations.all, body)
            case .postgres(let address):
                try PostgresDatabase.copySource(address, migrations: RelyingPartyMigrations.all, body)
            }
        },
        target: { location, body throws(DatabaseError) in
            switch location {
            case .sqlite(let path):
                try SQLiteDatabase.copyTarget(path: path, migrations: RelyingPartyMigrations.all, body)
            case .postgres(let address):
                try PostgresDatabase.copyTarget(address, migrations: RelyingPartyMigrations.all, body)
            }
        })
}
