import IdPSchema
import Logging
import PostgresStorage
import SQLiteStorage
import SSOWeb
import Storage

/// The database of the IdP. Beside the commands `backup` and `restore`, only this file knows which engines there are.
enum IdPDatabase {
    /// Reads an address of PostgreSQL.
    @Sendable static func postgres(
        _ text: String, allowsPlaintext: Bool, readers: Int
    ) throws(PostgresAddress.ParsingError) -> PostgresAddress {
        try PostgresAddress(text, allowsPlaintext: allowsPlaintext, readers: readers, program: "idp")
    }

    /// Opens the database. Creates it if there is none, and applies the missing steps.
    static func open(_ location: DatabaseLocation, _ logger: Logger) async throws(DatabaseError) -> any Database {
        switch location {
        case .sqlite(let path): try await SQLiteDatabase(path: path, migrations: IdPMigrations.all)
        case .postgres(let address):
            try await PostgresDatabase(
                address, migrations: IdPMigrations.all, logger: logger,
                voidGrants: { try IdPTable.end(.lostCommits, at: ServiceClock.system().now(), $0) })
        }
    }

    /// Opens a database that is there, and changes nothing.
    static func openUnchanged(
        _ location: DatabaseLocation, _ logger: Logger
    ) async throws(DatabaseError) -> any Database {
        switch location {
        case .sqlite: try await open(location, logger)
        case .postgres(let address):
            try await PostgresDatabase.openUnchanged(address, migrations: IdPMigrations.all, logger: logger)
        }
    }

    /// The names of the steps that opening the database would apply. Changes nothing.
    static func inspect(_ location: DatabaseLocation) async throws(DatabaseError) -> [String] {
        switch location {
        case .sqlite(let path): try await SQLiteDatabase.inspect(path: path, migrations: IdPMigrations.all)
        case .postgres(let address): try await PostgresDatabase.inspect(address, migrations: IdPMigrations.all)
        }
    }

    /// Whether there is a database already: ``open(_:_:)`` would create it otherwise.
    static func exists(_ location: DatabaseLocation) async throws(DatabaseError) -> Bool {
        switch location {
        case .sqlite: !lacksFile(location)
        case .postgres(let address): try await PostgresDatabase.hasTables(address, migrations: IdPMigrations.all)
        }
    }

    /// Whether the database is a file that is missing. Costs no connection.
    static func lacksFile(_ location: DatabaseLocation) -> Bool {
        switch location {
        case .sqlite(let path): !SQLiteDatabase.exists(path: path)
        case .postgres: false
        }
    }

    /// Opens both ends of a copy.
    static let copyEnds = DatabaseCopyEnds(
        source: { location, body throws(DatabaseError) in
            switch location {
            case .sqlite(let path):
                try SQLiteDatabase.copySource(path: path, migrations: IdPMigrations.all, body)
            case .postgres(let address):
                try PostgresDatabase.copySource(address, migrations: IdPMigrations.all, body)
            }
        },
        target: { location, body throws(DatabaseError) in
            switch location {
            case .sqlite(let path):
                try SQLiteDatabase.copyTarget(path: path, migrations: IdPMigrations.all, body)
            case .postgres(let address):
                try PostgresDatabase.copyTarget(address, migrations: IdPMigrations.all, body)
            }
        })
}
