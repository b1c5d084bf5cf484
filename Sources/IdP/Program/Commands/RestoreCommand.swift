import ArgumentParser
import Foundation
import IdPAccountPages
import IdPSchema
import IdPServer
import IdPSignOut
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage

/// `idp restore FILE`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Puts a backup in the place of the database of a stopped IdP.",
        usage: "idp restore [<options>] <file>",
        discussion: """
            Refuses while a process uses the database. The file that was there is kept beside it under a new name. \
            Everybody is signed out: sessions, codes, tokens and emails that wait are not brought back. Clients with a \
            logout_uri are told once the IdP runs.

            The backup is compared with the database that it replaces. Identities and groups that an account of both no longer \
            has, and the sign-in of accounts that were disabled, are printed and not brought back, unless --keep-identities is there. \
            The same holds for signing keys and secrets of clients that were removed or replaced, and for clients that were disabled \
            or removed. Addresses, end dates, rights of invited and imported users and entries of clients that differ are those of \
            the replaced database.

            The checksum of the backup is checked, and with IDP_SECRET_KEY (as a setting of this command) also who has made \
            it.

            For a database of PostgreSQL use pg_restore or point-in-time recovery (docs/postgresql.md).

            Example: idp restore /backup/idp-2026-11-21.sqlite

            Exit codes: 0 done, 1 an error of the database or the file, 64 wrong usage, 78 a wrong setting.
            """)
    @Argument(help: "A file that idp backup has written.", transform: FileArgument.read) var file: String
    @Flag(
        help:
            "Bring back identities, memberships, signing keys and secrets that were removed, and accounts and clients that were disabled, after the backup was made."
    )
    var keepIdentities = false
    @Flag(help: "Take a backup without a checksum, or one that was not made with IDP_SECRET_KEY.")
    var unverified = false
    @Flag(help: "Print what was done as a JSON object.") var json = false
    @OptionGroup var database: DatabaseOptions

    /// The result of the comparison with the database that was replaced.
    private enum Comparison: Sendable {
        case impossible(String)
        case done(EndedSinceBackup)
    }

    func run() async throws {
        let (path, keys) = try database.fileAndKeys(
            otherwise:
                "Use pg_restore or point-in-time recovery (PITR): docs/postgresql.md has the steps.")
        let now = ServiceClock.system().now()
        // Sorts by time and is a plain file name: 20261121T140509123Z.
        let stamp = PlainDate.rfc3339(now).filter { $0.isLetter || $0.isNumber }
        let restored = try await DatabaseOptions.reporting {
            try await SQLiteDatabase.restore(
                path: path, migrations: IdPMigrations.all, from: file, keys: keys,
                acceptsUnverified: unverified, keepingOldAs: "before-restore-\(stamp)"
            ) { [keepIdentities] database, replaced in
                let backup = RestoredDatabase(database: database)
                var (later, comparable): ([ClientSignIn], (any Database)?) = ([], nil)
                if case .readable(let old) = replaced {
                    (later, comparable) = (await RestoredDatabase.clientSignIns(of: old), old)
                }
                try await backup.endSignIns(now: now, by: .ofCommand(), telling: later, comparing: comparable)
                switch replaced {
                case .missing: return Comparison.impossible("there was no database at \(path)")
                case .unreadable(let cause): return .impossible("the old one cannot be read (\(cause))")
                case .readable(let old):
                    let ended = try await backup.ended(in: old)
                    try await backup.end(keepIdentities ? ended.lasting : ended, by: .ofCommand())
                    return .done(ended)
                }
            }
        }
        guard !json else { return print(jsonText(path, restored.kept, restored.origin, restored.report)) }
        print("Restored \(path) from \(file). Everybody is signed out.")
        if let kept = restored.kept {
            print("The database from before is \(kept). Remove it when you no longer need it.")
        }
        print(Self.words(on: restored.origin))
        print(words(on: restored.report))
        print(
            """
            Warning: accounts made after the backup are gone. Users who signed in for the first time after it get a new id \
            with their next sign-in, so relying parties take them for new users. Names are as they were when the backup was \
            made, and providers that were added later must be added again.
            """)
    }

    private func jsonText(
        _ path: String, _ kept: String?, _ origin: BackupOrigin, _ comparison: Comparison
    ) -> String {
        var members: [JSONText.Member] = [
            .init("changed", true), .init("file", file), .init("database", path), .init("kept", orNull: kept),
            .init("origin", Self.word(for: origin)),
        ]
        switch comparison {
        case .impossible(let cause): members += [.init("compared", false), .init("cause", cause)]
        case .done(let ended):
            members += [
                .init("compared", true), .init("accounts_in_both", ended.accounts),
                .init("brought_back", keepIdentities),
                .init(
                    "ended",
                    Self.rows(ended).map { row in
                        zip(["address", "ended", "provider", "subject"], row).map { .init($0, $1) }
                    }),
            ]
        }
        return JSONText.object(members)
    }

    /// The same as a stable word.
    static func word(for origin: BackupOrigin) -> String {
        switch origin {
        case .proven: "proven"
        case .otherKey: "other_key"
        case .unsigned: "unsigned"
        case .unchecked: "unchecked"
        case .unsealed: "unsealed"
        }
    }

    /// What a user of the command is told about the origin of a backup.
    static func words(on origin: BackupOrigin) -> String {
        switch origin {
        case .proven: "The backup is whole, and was made with IDP_SECRET_KEY."
        case .otherKey: "Warning: the backup was made with another IDP_SECRET_KEY, or by others."
        case .unsigned: "Warning: the backup was made without IDP_SECRET_KEY. Anybody can have made it."
        case .unchecked:
            "Warning: IDP_SECRET_KEY is not set for this command, so nobody has checked who made the backup."
        case .unsealed: "Warning: the backup has no checksum. Neither damage nor its origin could be checked."
        }
    }

    private func words(on comparison: Comparison) -> String {
        let cannotKnow = """
            what was removed, disabled or changed after the backup is as it was in it: identities, memberships, addresses, end \
            dates, withdrawn invitations, accounts, clients, their entries, secrets and signing keys. Disable accounts again with: idp user disable ADDRESS. After a leak also replace keys and \
            secrets again: idp keys rotate --now, idp client rotate ID && idp client retire ID --force
            """
        switch comparison {
        case .impossible(let cause): return "Warning: the backup could not be compared, because \(cause): \(cannotKnow)"
        case .done(let ended) where ended.accounts == 0 && ended.isEmpty:
            return "Warning: the old database has none of the backup's accounts: \(cannotKnow)"
        case .done(let ended) where ended.isEmpty:
            return """
                Compared with the old database: no identity was removed, no membership ended, no account or client disabled, and no \
                signing key or secret removed after the backup, and no address, end date or client changed, of \(ended.accounts) \
                accounts in both.
                """
        case .done(let ended):
            let table = CommandTable.text(["ADDRESS", "ENDED", "PROVIDER", "SUBJECT"], Self.rows(ended))
            return keepIdentities
                ? "Warning: these had ended after the backup. --keep-identities has brought them back:\n\(table)"
                : "These had ended after the backup and were not brought back:\n\(table)"
        }
    }

    private static func rows(_ ended: EndedSinceBackup) -> [[String]] {
        var rows = ended.identities.map { identity in
            [identity.email, "identity", identity.provider ?? identity.kind, identity.subject]
        }
        rows += ended.memberships.map { [$0.email, "group", "", $0.group] }
        rows += ended.disabled.map { [$0.email, "disabled", "", ""] }
        rows += ended.keys.map { ["", "signing key", "", "\($0.id) (\($0.algorithm))"] }
        for client in ended.secrets {
            rows += client.ended.map { ["", "secret", "", "\($0) of the client \(client.clientID)"] }
        }
        rows += ended.clients.map { ["", "client", "", $0] }
        rows += ended.displaced.map {
            [$0.email, "address of another", "", "\($0.id)@address-taken.invalid, disabled"]
        }
        return rows
            + ended.changes.map { change in
                let label =
                    (change.table == "client" ? "client " : "")
                    + change.column.split(separator: "_").joined(separator: " ")
                return [change.address, label, "", change.words]
            }
    }
}
