import SQLiteStorage
import Storage

/// The database of the IdP. Beside the commands `backup` and `restore`, only this file knows which engines there are.
enum IdPDatabase {
    /// Opens the database. Creates it if there is none, and applies the missing steps.
    static func open(_ location: DatabaseLocation) async throws(DatabaseError) -> any Database {
        try await location.open(migrations: IdPMigrations.all)
    }

    /// The names of the steps that opening the database would apply. Changes nothing.
    static func inspect(_ location: DatabaseLocation) async throws(DatabaseError) -> [String] {
        try await location.inspect(migrations: IdPMigrations.all)
    }

    /// Whether there is a database already.
    static func exists(_ location: DatabaseLocation) -> Bool { location.exists }
}
