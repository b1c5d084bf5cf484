import ArgumentParser
import Foundation
import SSOWeb

/// `idp backup FILE`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies the database of a running IdP into one new file.",
        discussion: """
            The copy is consistent, synced to the disk, and readable for this user alone (mode 0600). A file that exists \
            is never overwritten. It holds email addresses and hashes: treat it as personal data.

            Exit codes: 0 done, 1 an error of the database or the file, 64 wrong usage, 78 a wrong setting.
            """)
    @Argument(help: "The file to write. It must not exist yet.") var file: String
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let path = try database.location().path
        let bytes = try await DatabaseOptions.reporting {
            try await SQLiteDatabase.backup(path: path, migrations: IdPMigrations.all, to: file)
        }
        print("Backed up \(path) into \(file), \(bytes) bytes.")
    }
}

/// `idp restore FILE`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Puts a backup in the place of the database of a stopped IdP.",
        discussion: """
            Refuses while a process uses the database. The file that was there is kept beside it under a new name. \
            Everybody is signed out: sessions, codes, tokens and emails that wait are not brought back.

            Exit codes: 0 done, 1 an error of the database or the file, 64 wrong usage, 78 a wrong setting.
            """)
    @Argument(help: "A file that idp backup has written.") var file: String
    @OptionGroup var database: DatabaseOptions

    /// What a restore deletes: it may have ended, been used or been sent after the backup was made.
    private static let endings = [
        "DELETE FROM session",
        "UPDATE sso_token SET voided_at = :now WHERE used_at IS NULL AND voided_at IS NULL",
        "DELETE FROM challenge",
        "DELETE FROM mail_queue",
        "DELETE FROM device",
        "DELETE FROM handoff",
        "DELETE FROM access_token",
    ]

    func run() async throws {
        let path = try database.location().path
        let now = ServiceClock.system().now()
        // Sorts by time and is a plain file name: 20261121T140509123Z.
        let stamp = PlainDate.rfc3339(now).filter { $0.isLetter || $0.isNumber }
        let kept = try await DatabaseOptions.reporting {
            try await SQLiteDatabase.restore(
                path: path, migrations: IdPMigrations.all, from: file, keepingOldAs: "before-restore-\(stamp)"
            ) { connection in
                for statement in Self.endings { try connection.execute(statement, ["now": .timestamp(now)]) }
            }
        }
        print("Restored \(path) from \(file). Everybody is signed out.")
        if let kept { print("The database from before is \(kept). Remove it when you no longer need it.") }
        print(
            """
            Warning: accounts made after the backup are gone. Users who signed in for the first time after it get a new id \
            with their next sign-in, so relying parties take them for new users. Names that were changed and accounts that \
            were disabled after it are as they were before. The backup cannot know which these are.
            """)
    }
}
