import ArgumentParser
import Foundation
import IdPClients
import IdPOperations
import IdPSchema
import IdPServer
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage

/// `idp backup [--verify] FILE`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies the database of a running IdP into one new file.",
        usage: "idp backup [<options>] <file>",
        discussion: """
            The copy is consistent, synced to the disk, and readable for this user alone (mode 0600). A file that exists \
            is never overwritten. It holds email addresses and hashes: treat it as personal data. Its last line is a checksum \
            and, with IDP_SECRET_KEY (as a setting of this command), a code that shows idp restore who has made it.

            With --verify it checks a backup as idp restore would, and writes nothing, so that a read-only medium will do: \
            checksum, origin, content, and whether this version has all of its steps. It needs no database.

            For a database of PostgreSQL use pg_dump, and point-in-time recovery for what must not be lost.

            Examples:
              idp backup /backup/idp-2026-11-21.sqlite
              idp backup --verify /backup/idp-2026-11-21.sqlite

            Exit codes: 0 done, 1 an error of the database or the file, 64 wrong usage, 78 a wrong setting.
            """)
    @Argument(
        help: "The file to write, which must not exist yet; with --verify the backup to check.",
        transform: FileArgument.read)
    var file: String
    @Flag(help: "Check the backup in this file.") var verify = false
    @Flag(help: "Print what was done as a JSON object.") var json = false
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        guard !verify else { return try await check() }
        let (path, keys) = try database.fileAndKeys(
            otherwise: """
                Back up PostgreSQL with its own tools: pg_dump --format=custom --file=idp.dump DATABASE, and point-in-time recovery \
                (PITR) for what must not be lost (docs/postgresql.md).
                """)
        let bytes = try await DatabaseOptions.reporting {
            if let keys { try await check(keys, path) }
            return try await SQLiteDatabase.backup(path: path, migrations: IdPMigrations.all, keys: keys, to: file)
        }
        let row = Event(.backupMade, by: .ofCommand(), detail: URL(fileURLWithPath: file).lastPathComponent)
        // The backup is whole, also where the database cannot be written.
        do {
            try await DatabaseOptions.open(.sqlite(path: path)) { database in
                try await database.write { try AuditStore(database: database).write(row, $0) }
            }
        } catch {
            ListOutput.note("the audit log has no row for this backup: \(error)")
        }
        if json {
            return print(
                JSONText.object([
                    .init("changed", true), .init("file", file), .init("database", path), .init("bytes", Int(bytes)),
                    .init("has_origin", keys != nil),
                ]))
        }
        print("Backed up \(path) into \(file), \(bytes) bytes.")
        guard keys == nil else { return }
        print(
            """
            Warning: IDP_SECRET_KEY is not set for this command, so nothing in the backup shows who has made it. Where the key \
            is set, idp restore takes it only with --unverified.
            """)
    }

    /// Refuses a key that the running IdP does not have: `idp restore` with the one of the IdP would refuse the backup.
    private func check(_ keys: DerivedKeys, _ path: String) async throws {
        // A file that cannot be read is for the backup to report. One from before this step knows no key.
        guard
            let database = try? await SQLiteDatabase.openToRead(
                path: path, migrations: IdPMigrations.all, upTo: "v033-key-check")
        else { return }
        try await KeyCheck(database, keys, SealedValueStore(database: database, keys)).checkFirst()
    }

    private func check() async throws {
        let keys = try database.keys()
        let origin = try await DatabaseOptions.reporting {
            try await SQLiteDatabase.verify(backup: file, migrations: IdPMigrations.all, keys: keys)
        }
        if json {
            let members: [JSONText.Member] = [
                .init("changed", false), .init("file", file), .init("origin", RestoreCommand.word(for: origin)),
            ]
            return print(JSONText.object(members))
        }
        print("\(file) can be restored.\n\(RestoreCommand.words(on: origin))")
    }
}
