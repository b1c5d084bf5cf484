package import Logging
package import PostgresStorage
import SQLiteStorage
package import SSOWeb
package import Storage

/// The database of a program, on the engine that its address names. Nothing else of a program knows which engines there are.
package struct ProgramDatabase: Sendable {
    private let program: String
    private let migrations: [Migration]
    private let voidGrants: @Sendable (any SQLConnection) throws -> Void

    /// - Parameters:
    ///   - program: what PostgreSQL calls its connections.
    ///   - voidGrants: ends what may have been used in commits that a promoted standby lacks, in one transaction.
    package init(
        _ program: String, migrations: [Migration],
        voidGrants: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in }
    ) {
        (self.program, self.migrations, self.voidGrants) = (program, migrations, voidGrants)
    }

    /// Reads an address of PostgreSQL.
    @Sendable package func postgres(
        _ text: String, allowsPlaintext: Bool, readers: Int
    ) throws(PostgresAddress.ParsingError) -> PostgresAddress {
        try PostgresAddress(text, allowsPlaintext: allowsPlaintext, readers: readers, program: program)
    }

    /// Opens the database. Creates a missing one, and applies the missing steps.
    @Sendable package func open(
        _ location: DatabaseLocation, _ logger: Logger
    ) async throws(DatabaseError) -> any Database {
        switch location {
        case .sqlite(let path): try await SQLiteDatabase(path: path, migrations: migrations)
        case .postgres(let address):
            try await PostgresDatabase(address, migrations: migrations, logger: logger, voidGrants: voidGrants)
        }
    }

    /// Opens the database for a command that changes whole tables at once while no node runs: on PostgreSQL its writes may last
    /// hours.
    @Sendable package func openAlone(
        _ location: DatabaseLocation, _ logger: Logger
    ) async throws(DatabaseError) -> any Database {
        guard case .postgres(let address) = location else { return try await open(location, logger) }
        return try await PostgresDatabase(
            address, migrations: migrations, logger: logger, timing: .alone, voidGrants: voidGrants)
    }

    /// Opens a database that is there, and changes nothing.
    @Sendable package func openUnchanged(
        _ location: DatabaseLocation, _ logger: Logger
    ) async throws(DatabaseError) -> any Database {
        switch location {
        case .sqlite(let path): try await SQLiteDatabase.openToRead(path: path, migrations: migrations)
        case .postgres(let address):
            try await PostgresDatabase.openUnchanged(address, migrations: migrations, logger: logger)
        }
    }

    /// Opens the database for a command that only reads. A file stays as it is, and may lie where nothing can be written; it must
    /// have all steps. PostgreSQL gets the missing ones, as by ``open(_:_:)``.
    @Sendable package func openToRead(
        _ location: DatabaseLocation, _ logger: Logger
    ) async throws(DatabaseError) -> any Database {
        location.isFile ? try await openUnchanged(location, logger) : try await open(location, logger)
    }

    /// The names of the steps that opening the database would apply. Changes nothing.
    @Sendable package func inspect(_ location: DatabaseLocation) async throws(DatabaseError) -> [String] {
        switch location {
        case .sqlite(let path): try await SQLiteDatabase.inspect(path: path, migrations: migrations)
        case .postgres(let address): try await PostgresDatabase.inspect(address, migrations: migrations)
        }
    }

    /// Whether there is a database already: ``open(_:_:)`` would create it otherwise.
    package func exists(_ location: DatabaseLocation) async throws(DatabaseError) -> Bool {
        switch location {
        case .sqlite: !lacksFile(location)
        case .postgres(let address): try await PostgresDatabase.hasTables(address, migrations: migrations)
        }
    }

    /// Whether there is a database already, and opening it would change nothing. Costs fewer connections than ``inspect(_:)``.
    package func isComplete(_ location: DatabaseLocation) async throws(DatabaseError) -> Bool {
        guard case .postgres(let address) = location else {
            guard try await exists(location) else { return false }
            return try await inspect(location).isEmpty
        }
        return try await PostgresDatabase.isComplete(address, migrations: migrations)
    }

    /// Whether the database is a file that is missing. Costs no connection.
    package func lacksFile(_ location: DatabaseLocation) -> Bool {
        switch location {
        case .sqlite(let path): !SQLiteDatabase.exists(path: path)
        case .postgres: false
        }
    }

    /// Takes the mark of a copy from the database.
    ///
    /// - Returns: whether there was one.
    package func unmark(_ location: DatabaseLocation) async throws(DatabaseError) -> Bool {
        try await BlockingWork.run { () throws(DatabaseError) in
            switch location {
            case .sqlite(let path): try SQLiteDatabase.unmark(path: path)
            case .postgres(let address): try PostgresDatabase.unmark(address)
            }
        }
    }

    /// - Throws: ``DatabaseError/refused(_:)`` where another process uses the file. PostgreSQL has its nodes for that.
    package func checkUnused(_ location: DatabaseLocation) throws(DatabaseError) {
        if case .sqlite(let path) = location { try SQLiteDatabase.checkUnused(path: path) }
    }

    /// Opens both ends of a copy.
    package var copyEnds: DatabaseCopyEnds {
        DatabaseCopyEnds(
            source: { [migrations] location, target, body throws(DatabaseError) in
                switch location {
                case .sqlite(let path):
                    try SQLiteDatabase.copySource(path: path, migrations: migrations, movingTo: target, body)
                case .postgres(let address):
                    try PostgresDatabase.copySource(address, migrations: migrations, movingTo: target, body)
                }
            },
            target: { [migrations] location, body throws(DatabaseError) in
                switch location {
                case .sqlite(let path): try SQLiteDatabase.copyTarget(path: path, migrations: migrations, body)
                case .postgres(let address):
                    try PostgresDatabase.copyTarget(address, migrations: migrations, body)
                }
            })
    }
}
