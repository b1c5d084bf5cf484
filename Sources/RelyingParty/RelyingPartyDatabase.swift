import SQLiteStorage
import Storage

/// The database of the relying party. Only this file knows which engines there are.
enum RelyingPartyDatabase {
    /// Opens the database. Creates it if there is none, and applies the missing steps.
    static func open(_ location: DatabaseLocation) async throws(DatabaseError) -> any Database {
        try await location.open(migrations: RelyingPartyMigrations.all)
    }

    /// The names of the steps that opening the database would apply. Changes nothing.
    static func inspect(_ location: DatabaseLocation) async throws(DatabaseError) -> [String] {
        try await location.inspect(migrations: RelyingPartyMigrations.all)
    }
}
