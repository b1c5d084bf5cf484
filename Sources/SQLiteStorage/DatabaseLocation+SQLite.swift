import Foundation
public import Storage

/// A program opens its database by its location. Only this target knows which engine that needs.
extension DatabaseLocation {
    /// Opens the database. Creates it if there is none, and applies the missing migrations.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` for a database that is newer, not ours, damaged or read-only.
    public func open(migrations: [Migration]) async throws(DatabaseError) -> any Database {
        switch self {
        case .sqlite(let path): return try await SQLiteDatabase(path: path, migrations: migrations)
        }
    }

    /// Checks whether the database could be opened, and leaves everything as it is.
    ///
    /// - Returns: the names of the steps that opening it would apply.
    /// - Throws: ``DatabaseError/refused(_:)`` with the line that opening it would end with.
    public func inspect(migrations: [Migration]) async throws(DatabaseError) -> [String] {
        switch self {
        case .sqlite(let path): return try await SQLiteDatabase.inspect(path: path, migrations: migrations)
        }
    }

    /// Whether the database is there. ``open(migrations:)`` would create it otherwise.
    public var exists: Bool {
        switch self {
        case .sqlite(let path): FileManager.default.fileExists(atPath: path)
        }
    }
}
