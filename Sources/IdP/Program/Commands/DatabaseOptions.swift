import ArgumentParser
import Foundation
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import IdPServer
import Logging
import SSOShared
import SSOWeb
import Storage
import StorageEngines
import Synchronization

/// The options of every command that works on the database beside a running IdP.
struct DatabaseOptions: ParsableArguments {
    @Option(
        name: .customLong("idp-database-url"),
        help: ArgumentHelp("The database, in place of IDP_DATABASE_URL.", valueName: "url"))
    var url: String?
    @OptionGroup var settingsFile: SettingsFileOption

    func validate() throws {
        guard let url else { return }
        // An unset variable of a script must not lead to another database.
        guard !url.isEmpty else {
            throw ValidationError("--idp-database-url: is empty. Leave it out for IDP_DATABASE_URL.")
        }
        guard SettingsArguments.holdsPassword(url) else { return }
        throw ValidationError(
            "--idp-database-url: holds a password, and every user of this machine can read a command line. Use IDP_DATABASE_URL_FILE."
        )
    }

    /// Where the settings say the database is.
    ///
    /// - Throws: exit code 78 after all problems were printed.
    func location() throws -> DatabaseLocation { try read { _ in }.location }

    /// The path of the database file, with the keys of ``IdPSettings``: for commands that work on the file itself. No keys
    /// where none are set.
    ///
    /// - Parameter otherwise: what to use for a database that is not a file.
    func fileAndKeys(otherwise: String) throws -> (path: String, keys: DerivedKeys?) {
        let (location, keys) = try read { $0.derivedKeys("IDP_SECRET_KEY", required: false) }
        switch location {
        case .sqlite(let path): return (path, keys)
        case .postgres: throw CommandExit.failure(IdPProgram.name, "\(location) is not a file. \(otherwise)")
        }
    }

    /// The keys of ``IdPSettings``, for commands that need them for a part of their work. Nil where none are set.
    func keys() throws -> DerivedKeys? { try read { $0.derivedKeys("IDP_SECRET_KEY", required: false) }.further }

    /// A new key would be refused beside a database that has one.
    static let hintOfKey = "Use the key of the running IdP, for example by --env-file with its settings."

    /// The same, for commands that cannot do without.
    ///
    /// - Throws: exit code 78 where none are set, and where the running IdP has another one.
    func requiredKeys() async throws -> DerivedKeys {
        guard let keys = try read({ $0.derivedKeys("IDP_SECRET_KEY", hint: Self.hintOfKey) }).further else {
            throw CommandExit.configurationError
        }
        try await check(keys)
        return keys
    }

    /// Refuses a command that sends an email where the settings say that none is sent.
    ///
    /// - Parameter instead: what does the same without one, as a sentence.
    /// - Throws: exit code 1.
    func requireMail(instead: String) throws {
        let name = IdPSettings.mail.name
        let url = try read { $0.secretText(name, required: false, hint: "") }.further
        guard url?.trimmingCharacters(in: .whitespacesAndNewlines) == "none" else { return }
        throw CommandExit.failure(IdPProgram.name, "\(name) is none, so no invitation can be sent. \(instead)")
    }

    /// Refuses keys with which a command must not seal anything.
    ///
    /// - Throws: exit code 78 unless the first one is a key of the running IdP.
    func check(_ keys: DerivedKeys?) async throws {
        guard let keys else { return }
        try await open { database in
            try await KeyCheck(database, keys, SealedValueStore(database: database, keys)).seal()
        }
    }

    /// The value of a setting, as for the running IdP.
    ///
    /// - Throws: exit code 78 where the setting is wrong.
    func value<S: ReadableSetting>(of setting: S) throws -> S.Value {
        guard let value = try read({ $0.value(setting) }).further else { throw CommandExit.configurationError }
        return value
    }

    /// Where links lead, and who may sign in, as for the running IdP.
    ///
    /// - Throws: exit code 78 where the settings of it are wrong.
    func signInSettings() throws -> (PublicOrigin, SignInEligibility) {
        let read = try read {
            ($0.value(FlowSettings.publicURL), $0.value(AllowedEmails.setting), $0.value(AdminAddresses.setting))
        }.further
        guard let origin = read.0, let allowed = read.1, let admins = read.2 else {
            throw CommandExit.configurationError
        }
        return (origin, SignInEligibility(allowed: allowed.adding(admins.all), clock: .system()))
    }

    /// Whether the settings declare no proxy. False where the setting is wrong, which the start reports.
    var hasNoTrustedProxies: Bool {
        SettingsReader(source).value(FlowSettings.trustedProxies)?.hasNoTrustedProxies ?? false
    }

    /// The languages that the running IdP has beside the built-in ones.
    func addedLanguages() throws -> AddedLanguages {
        try read { reader in reader.value(IdPLanguages.setting).flatMap(\.self) }.further ?? .empty
    }

    /// What commands about clients compare a change with. Secrets of the file that only the service can read are missing, with
    /// a line for each.
    ///
    /// - Throws: exit code 78 after all problems were printed.
    func registry(needsKeys: Bool, printingWarnings: Bool = true) throws -> CommandRegistry {
        try read { reader in
            let keys = reader.derivedKeys("IDP_SECRET_KEY", required: needsKeys, hint: Self.hintOfKey)
            let file = IdPSettings.clients.registered(reader, keys: keys, withAllSecrets: false)
            for warning in reader.warnings where printingWarnings {
                _ = CommandExit.failure(IdPProgram.name, "warning: \(warning)")
            }
            return CommandRegistry(file: file, keys: keys)
        }.further
    }

    private var source: SettingsSource {
        settingsFile.source(of: IdPProgram.name, arguments: url.map { ["--idp-database-url", $0] } ?? [])
    }

    private func read<T>(_ further: (SettingsReader) -> T) throws -> (location: DatabaseLocation, further: T) {
        let reader = SettingsReader(source)
        let location = reader.value(IdPSettings.database)
        let further = further(reader)
        guard let location, reader.problems.isEmpty else { throw reader.refusal(of: IdPProgram.name) }
        return (location, further)
    }

    /// Lets `body` work on the database, which must be there already.
    ///
    /// - Parameter onlyReading: for a `body` that writes nothing: a file may then lie where nothing can be written.
    /// - Throws: exit code 1 after one line on standard error when the database cannot be used.
    func open<T: Sendable>(
        onlyReading: Bool = false, _ body: (any Database) async throws -> T
    ) async throws -> T {
        try await open(by: onlyReading ? ProgramDatabase.idp.openToRead : ProgramDatabase.idp.open, body)
    }

    /// The same by another way to open it.
    func open<T: Sendable>(
        by open: @Sendable (DatabaseLocation, Logger) async throws(DatabaseError) -> any Database,
        _ body: (any Database) async throws -> T
    ) async throws -> T {
        let location = try location()
        guard try await Self.reporting({ try await ProgramDatabase.idp.exists(location) }) else {
            let place = location.place
            let (problem, example) =
                location.isFile
                ? ("there is no database at \(place)", "for example sqlite:var/idp.sqlite")
                : ("the database \(place) has no tables yet", "or start the IdP, which makes them")
            let way = source.hint ?? "Set IDP_DATABASE_URL to the one of the IdP, \(example)."
            throw CommandExit.failure(IdPProgram.name, "\(problem). \(way)")
        }
        return try await Self.reporting { try await open(location, .quiet).closing(body) }
    }

    /// The same for a `body` that exports what the database has. From a file that cannot be written, such as one on a read-only
    /// medium, it reads all the same, as a backup does: who can read the file can copy it.
    ///
    /// - Parameter body: gets what writes the row of the audit log, or a line on standard error that it is missing.
    func export<T: Sendable>(
        _ body: (_ database: any Database, _ record: (Event) async throws -> Void) async throws -> T
    ) async throws -> T {
        let obstacle = Mutex<DatabaseError?>(nil)
        return try await open(by: { location, logger throws(DatabaseError) in
            do throws(DatabaseError) { return try await ProgramDatabase.idp.open(location, logger) } catch {
                guard location.isFile, let readable = try? await ProgramDatabase.idp.openToRead(location, logger) else {
                    throw error
                }
                obstacle.withLock { $0 = error }
                return readable
            }
        }) { database in
            try await body(database) { row in
                if let obstacle = obstacle.withLock({ $0 }) {
                    return ListOutput.note("the audit log has no row for this export: \(obstacle)")
                }
                try await database.write { try AuditStore(database: database).write(row, $0) }
            }
        }
    }

    /// The same for a database that is known to be there, and without a line on standard error.
    static func open<T: Sendable>(
        _ location: DatabaseLocation, onlyReading: Bool = false, _ body: (any Database) async throws -> T
    ) async throws -> T {
        let open = onlyReading ? ProgramDatabase.idp.openToRead : ProgramDatabase.idp.open
        return try await open(location, .quiet).closing(body)
    }

    /// Makes a change.
    ///
    /// - Throws: exit code 1 after one line on standard error for a change that is refused.
    func make<Change: OperatorChange>(_ change: Change) async throws -> Changed<Change.Result> {
        try await open { try await OperatorChanges($0, by: .ofCommand()).make(change) }
    }

    /// - Throws: exit code 1 after one line on standard error for a failure of the database, and for a change that was refused.
    static func reporting<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let failure as DatabaseError {
            throw CommandExit.failure(IdPProgram.name, "\(failure)", code: CommandExit.code(for: failure))
        } catch let refusal as ChangeError {
            throw CommandExit.failure(IdPProgram.name, "\(refusal)")
        } catch let setting as SettingError {
            throw CommandExit.failure(IdPProgram.name, "\(setting)", code: CommandExit.configurationError)
        }
    }
}
