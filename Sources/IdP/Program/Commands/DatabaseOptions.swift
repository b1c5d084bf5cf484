import ArgumentParser
import Foundation
import SSOShared
import SSOWeb

/// The option of every command that works on the database beside a running IdP. Of all settings it needs this one alone.
struct DatabaseOptions: ParsableArguments {
    @Option(
        name: .customLong("idp-database-url"),
        help: ArgumentHelp("The database, as in IDP_DATABASE_URL, which may also stand in .env.", valueName: "url"))
    var url: String?

    /// Where the settings say the database is.
    ///
    /// - Throws: exit code 78 after all problems were printed.
    func location() throws -> DatabaseLocation { try read { _ in }.location }

    /// The same, with the keys of ``IdPSettings`` for commands that use them. No keys where none are set.
    func locationAndKeys() throws -> (location: DatabaseLocation, keys: DerivedKeys?) {
        let (location, keys) = try read { $0.derivedKeys("IDP_SECRET_KEY", required: false) }
        return (location, keys)
    }

    private func read<T>(_ further: (SettingsReader) -> T) throws -> (location: DatabaseLocation, further: T) {
        let reader = SettingsReader(
            SettingsSource(
                arguments: url.map { ["--idp-database-url", $0] } ?? [],
                environment: ProcessInfo.processInfo.environment, dotEnv: ".env"))
        let location = IdPSettings.database(reader)
        let further = further(reader)
        for problem in reader.problems { _ = CommandExit.failure(IdPProgram.name, problem) }
        guard let location, reader.problems.isEmpty else { throw CommandExit.configurationError }
        return (location, further)
    }

    /// Lets `body` work on the database, which must be there already.
    ///
    /// - Throws: exit code 1 after one line on standard error when the database cannot be used.
    func open<T: Sendable>(_ body: (SQLiteDatabase) async throws -> T) async throws -> T {
        let path = try location().path
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandExit.failure(
                IdPProgram.name,
                "there is no database at \(path). Set IDP_DATABASE_URL to the one of the IdP, for example sqlite:var/idp.sqlite."
            )
        }
        return try await Self.reporting {
            let database = try await SQLiteDatabase(path: path, migrations: IdPMigrations.all)
            do {
                let result = try await body(database)
                await database.close()
                return result
            } catch {
                await database.close()
                throw error
            }
        }
    }

    /// - Throws: exit code 1 after one line on standard error for a failure of the database.
    static func reporting<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let failure as DatabaseError {
            throw CommandExit.failure(IdPProgram.name, "\(failure)")
        }
    }
}
