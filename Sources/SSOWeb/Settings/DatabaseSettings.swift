import Foundation
import SSOShared
public import Storage

/// The settings of a program's database: `IDP_DATABASE_URL` and what belongs to it.
public struct DatabaseSettings: ReadableSetting {
    /// Reads an address of PostgreSQL, for the engine that the program has.
    ///
    /// It throws an error whose text follows "NAME: " and has no part of the address, which may hold a password.
    public typealias ReadPostgres =
        @Sendable (_ text: String, _ allowsPlaintext: Bool, _ readers: Int) throws -> PostgresAddress

    public let url: SettingDescription
    let plaintext: Setting<Bool>
    let readers: Setting<Int>
    private let readPostgres: ReadPostgres

    /// - Parameters:
    ///   - prefix: `IDP` or `RP`.
    ///   - file: the default, and a place for a service: both as `sqlite:PATH`.
    public init(
        _ prefix: String, file: (default: String, service: String), postgres readPostgres: @escaping ReadPostgres
    ) {
        url = SettingDescription(
            "\(prefix)_DATABASE_URL", default: file.default, example: file.service,
            """
            The database: sqlite:PATH on a local disk, or postgres://USER@HOST[,HOST]/NAME for several nodes. The password of \
            PostgreSQL is a secret: give the address by \(prefix)_DATABASE_URL_FILE, or the password by PGPASSFILE.
            """, mayHoldSecret: true)
        plaintext = Setting(
            "\(prefix)_ALLOW_PLAINTEXT_DATABASE", default: false, example: "true",
            "Whether PostgreSQL on another machine may be reached without verified TLS (sslmode below verify-full).")
        readers = Setting(
            "\(prefix)_DATABASE_READERS", default: 4, in: 1...16, example: "8",
            "Connections to PostgreSQL that read, 1 to 16. One more writes.")
        self.readPostgres = readPostgres
    }

    package var name: String { url.name }
    public var descriptions: [SettingDescription] { [url, plaintext.description, readers.description] }

    package func read(_ reader: SettingsReader, _ values: SettingValues) -> DatabaseLocation? {
        let (allowsPlaintext, readers) = (reader.value(plaintext), reader.value(readers))
        guard let text = text(reader) else { return nil }
        do {
            // Also beside another problem, so that all are reported at once.
            let location = try location(text, allowsPlaintext: allowsPlaintext ?? false, readers: readers ?? 1)
            reader.record(url.name, "\(location)")
            if case .postgres(let address) = location {
                for warning in address.warnings { reader.warn("\(url.name): \(warning)") }
            }
            return allowsPlaintext == nil || readers == nil ? nil : location
        } catch {
            reader.record(url.name, "(invalid)")
            reader.problem("\(url.name): \(error)")
            return nil
        }
    }

    /// Reads an address that a command has as an option: `file:PATH` names a file with the address, which may hold a password.
    /// Nil when there is a problem.
    func location(of option: String, _ text: String, _ reader: SettingsReader) -> DatabaseLocation? {
        let allowsPlaintext = reader.value(plaintext) ?? false
        let isFile = text.hasPrefix("file:")
        let address =
            isFile
            ? SecretFile.read(
                String(text.dropFirst(5)), setting: option, problem: reader.problem, warn: reader.warn) : text
        guard let address else { return nil }
        do { return try location(address, allowsPlaintext: allowsPlaintext, readers: 1) } catch {
            reader.problem("\(option): \(error)")
            return nil
        }
    }

    private func text(_ reader: SettingsReader) -> String? {
        let problems = reader.problems.count
        let text = reader.secretText(url.name, required: false, hint: "")
        guard reader.problems.count == problems else { return nil }
        guard let text, text.hasPrefix("credential:") else { return text ?? ownFolder(reader) ?? url.defaultValue }
        do throws(SettingError) {
            let path = try CredentialFile.path(
                of: String(text.dropFirst(11)), environment: reader.variable, otherwise: "\(url.name)_FILE")
            return SecretFile.read(path, setting: url.name, problem: reader.problem, warn: reader.warn)
        } catch {
            reader.problem("\(url.name): \(error)")
            return nil
        }
    }

    /// The place for a service in the folder that systemd has made for it (systemd.exec(5), `StateDirectory=`): a unit need not
    /// name the database, so that its settings file can.
    private func ownFolder(_ reader: SettingsReader) -> String? {
        let place = url.example.split(separator: "/").suffix(2)
        guard let name = place.first, let file = place.last,
            let folder = reader.variable("STATE_DIRECTORY")?.split(separator: ":").first,
            folder.hasSuffix("/\(name)")
        else { return nil }
        return "sqlite:\(folder)/\(file)"
    }

    private func location(
        _ text: String, allowsPlaintext: Bool, readers: Int
    ) throws -> DatabaseLocation {
        // What an editor leaves at the end of a file is no part of the database's name.
        let address = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let isURI = ["postgres://", "postgresql://"].contains { address.hasPrefix($0) }
        guard isURI || address.contains(/(^|\s)dbname\s*=/) else { return try DatabaseLocation(sqlite: address) }
        return .postgres(try readPostgres(address, allowsPlaintext, readers))
    }
}

extension DatabaseLocation {
    /// Reads `sqlite:PATH`.
    ///
    /// - Throws: ``SettingError`` for anything but `sqlite:` and a path.
    init(sqlite text: String) throws(SettingError) {
        // No message repeats any of the text, which may be a password, or an address with one.
        guard text.hasPrefix("sqlite:"), text.utf8.count > 7, !text.utf8.contains(0) else {
            throw SettingError(
                "is not a supported database. Use sqlite:PATH, for example sqlite:var/data.sqlite, or "
                    + "postgres://USER@HOST/NAME.")
        }
        let path = String(text.dropFirst(7))
        // SQLite reads these as a database in memory or as a URI.
        guard path != ":memory:", !path.hasPrefix("file:"), !path.hasPrefix("//"), !path.contains("://") else {
            throw SettingError(
                "is not a file. Use sqlite:PATH with at most one slash at its start, for example "
                    + "sqlite:/var/lib/data.sqlite.")
        }
        self = .sqlite(path: path)
    }
}
