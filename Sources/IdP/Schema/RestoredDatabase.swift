import IdPAccounts
package import IdPClients
import IdPOperations
package import IdPSignOut
import SSOShared
package import SSOWeb
package import Storage

/// What had ended after a backup was made, and would come back with it: found by a comparison with the database that the
/// restore replaces.
package struct EndedSinceBackup: Sendable, Equatable {
    /// An identity that the account no longer had: removed by its user, revoked, or withdrawn by its provider.
    package struct Identity: Sendable, Equatable {
        package let kind, issuer, subject, accountID, email: String
        /// The provider's id in IDP_PROVIDERS_FILE, nil for other kinds.
        package let provider: String?
    }

    /// An account that was disabled, or erased: it is disabled then, until it is erased again.
    package struct DisabledAccount: Sendable, Equatable {
        package let id, email: String
    }

    /// A membership that the account no longer had: it was taken out, or the group was removed.
    package struct Membership: Sendable, Equatable {
        package let accountID, email, group: String
    }

    /// A signing key that was removed: after a leak, or when its time was over.
    package struct RemovedKey: Sendable, Equatable {
        package let id, algorithm: String
    }

    /// A client of the database whose secrets were replaced or retired: those of the replaced database take their place.
    package struct ClientSecrets: Sendable, Equatable {
        package let clientID: String
        /// The fingerprints of those that had ended.
        package let ended: [String]
        /// All rows of the replaced database.
        package let now: [StoredSecret]
    }

    package var identities: [Identity] = []
    package var keys: [RemovedKey] = []
    package var secrets: [ClientSecrets] = []
    /// The ids of clients that were disabled or removed.
    package var clients: [String] = []
    package var memberships: [Membership] = []
    package var disabled: [DisabledAccount] = []
    /// Addresses, end dates and rights of accounts, and entries of clients, that were changed.
    package var changes: [Change] = []
    /// Accounts that the replaced database does not have, and whose address is another account's there. They get an address that
    /// reaches nobody, and are disabled.
    package var displaced: [DisabledAccount] = []
    /// What the replaced database has beside these. It ends nothing that a user could miss, so no command prints it.
    var added = AddedRows()

    /// What also holds where everything that ended is to come back: a username is never given twice, and a token that was revoked stays
    /// revoked.
    package var lasting: EndedSinceBackup {
        var lasting = EndedSinceBackup()
        lasting.added = added
        return lasting
    }
    /// How many accounts both databases have. Others cannot be compared.
    package var accounts = 0

    package var isEmpty: Bool {
        identities.isEmpty && memberships.isEmpty && disabled.isEmpty && keys.isEmpty && secrets.isEmpty
            && clients.isEmpty && changes.isEmpty
    }
}

/// The rows of a backup before they are put in place.
///
/// Has SQL for tables of many owners: a restore changes them together, and no running program does any of this.
package struct RestoredDatabase: Sendable {
    /// Accounts or rows in one transaction.
    private static let slice = 100

    let database: any Database
    private let protocols: ClientProtocols
    /// Of the rows of the audit log.
    private let clock: ServiceClock

    /// - Parameter protocols: those that clients may use.
    package init(database: any Database, of protocols: ClientProtocols, clock: ServiceClock = .system()) {
        (self.database, self.protocols, self.clock) = (database, protocols, clock)
    }

    /// Ends what may have ended, been used or been sent after the backup was made.
    ///
    /// - Parameters:
    ///   - actor: who restores, for the audit log.
    ///   - later: sign-ins at clients of the database that is replaced. Clients are told of them, and of those of the backup.
    ///   - replaced: that database; nil where there is none that can be read.
    package func endSignIns(
        now: Timestamp, by actor: AuditActor = .command(user: "unknown", sudo: nil), telling later: [ClientSignIn] = [],
        comparing replaced: (any Database)? = nil
    ) async throws {
        let audit = AuditStore(database: database, clock: clock)
        let (untouched, passkeys) =
            try await replaced?.read { (try Self.untouched($0), try Self.passkeys($0)) } ?? ([], [:])
        // A printed link is only for an account that nobody has signed in to, also in the time that is missing.
        try await write(try await database.write { try Self.untouched($0) }.subtracting(untouched).sorted()) {
            try $1.execute(
                "UPDATE account SET begun_at = :now WHERE id = :id", ["now": .timestamp(now), "id": .text($0)])
        }
        try await database.write { connection in
            try IdPTable.end(.restore, at: now, connection)
            let here = try Self.passkeys(connection)
            for (id, account) in passkeys where here[id] == nil {
                guard try AccountStore.find(account, connection) != nil else { continue }
                try audit.write(PasskeyEnd.restored.event(of: id, account, by: actor), connection)
            }
            try audit.write(Event(.databaseRestored, by: actor), connection)
        }
        try await tellClients(of: later, at: now, by: actor)
    }

    /// The accounts of passkeys, by the id of the passkey.
    private static func passkeys(_ connection: any SQLConnection) throws -> [String: String] {
        let rows = try connection.query("SELECT id, account_id FROM passkey")
        return try Dictionary(rows.map { (try $0.text("id"), try $0.text("account_id")) }) { first, _ in first }
    }

    /// The ids of accounts that nobody has signed in to.
    private static func untouched(_ connection: any SQLConnection) throws -> Set<String> {
        Set(
            try connection.query(
                """
                SELECT id FROM account a
                 WHERE begun_at IS NULL AND NOT EXISTS (SELECT 1 FROM account_identity i WHERE i.account_id = a.id)
                """
            ).map { try $0.text("id") })
    }

    /// Tells the clients of every sign-in that the backup knows, and of those that were made after it. What was told has ended, so
    /// this can be repeated.
    private func tellClients(of later: [ClientSignIn], at now: Timestamp, by actor: AuditActor) async throws {
        let audit = AuditStore(database: database, clock: clock)
        let signOuts = SignOuts(
            clock: ServiceClock { now }, randomness: SystemRandomness(), protocols: protocols)
        try await write(later) { try signOuts.signIns.adopt($0, $1) }
        var last = ""
        while true {
            let accounts = try await database.write { [last] connection in
                let accounts = try signOuts.signIns.accounts(after: last, limit: Self.slice, connection)
                try signOuts.end(accounts.map { .all(of: $0) }, .restored, by: actor, connection) {
                    try audit.write($0, connection)
                }
                return accounts
            }
            guard let next = accounts.last else { return }
            last = next
        }
    }

    /// Changes rows, in transactions of so many: PostgreSQL gives none more than four seconds.
    private func write<Row: Sendable>(
        _ rows: [Row], _ change: @escaping @Sendable (Row, any SQLConnection) throws -> Void
    ) async throws {
        for start in stride(from: 0, to: rows.count, by: Self.slice) {
            let some = rows[start..<min(start + Self.slice, rows.count)]
            try await database.write { connection in for row in some { try change(row, connection) } }
        }
    }

    /// The sign-ins at clients of a database that were not ended. None of one that cannot be read.
    package static func clientSignIns(of database: any Database) async -> [ClientSignIn] {
        let found = try? await database.read { connection -> [ClientSignIn] in
            var (last, all): (String, [ClientSignIn]) = ("", [])
            while true {
                let accounts = try ClientSignIns().accounts(after: last, limit: 500, connection)
                for account in accounts {
                    all += try ClientSignIns().open(of: account, connection)
                }
                guard let next = accounts.last else { return all }
                last = next
            }
        }
        return found ?? []
    }

    /// Compares with the database that is replaced. Only accounts of both databases count, and those that the other one has
    /// erased: any other that it does not have was lost, and its identities were not removed.
    package func ended(in replaced: any Database) async throws -> EndedSinceBackup {
        let (other, erased) = try await replaced.read { (try ComparedDatabase($0), try Self.erased($0)) }
        // On the writer: a reader may be open for a moment after its answer, and the file's log would stay beside it.
        let (here, added) = try await database.write { (try ComparedDatabase($0), try AddedRows($0)) }
        var ended = EndedSinceBackup()
        ended.accounts = here.accounts.keys.filter { other.accounts[$0] != nil }.count
        ended.disabled = here.disabled(in: other, erased: erased)
        ended.identities = here.identities(endedIn: other)
        ended.memberships = here.memberships(endedIn: other)
        here.registry.compare(with: other.registry, isSame: ended.accounts > 0, &ended)
        ended.changes = here.changes(in: other)
        ended.added = try await replaced.read { try AddedRows($0) }.missing(in: added)
        ended.displaced = here.displaced(by: ended.changes)
        return ended
    }

    /// The ids of accounts that were erased, as far as the audit log goes back.
    private static func erased(_ connection: any SQLConnection) throws -> Set<String> {
        Set(
            try connection.query("SELECT account_id FROM audit_event WHERE event = 'user_erased'").compactMap {
                try $0.optionalText("account_id")
            })
    }

    /// Removes the identities, memberships, signing keys and secrets, disables the accounts and clients, and puts later values
    /// in place.
    package func end(
        _ ended: EndedSinceBackup, by actor: AuditActor = .command(user: "unknown", sudo: nil)
    ) async throws {
        let audit = AuditStore(database: database, clock: clock)
        try await database.write { connection in
            try ended.apply(connection)
            try ended.added.add(connection)
            try RestoredRegistry.end(ended, connection)
            for identity in ended.identities {
                try connection.execute(
                    """
                    DELETE FROM account_identity WHERE kind = :kind AND issuer = :issuer AND subject = :subject
                    """,
                    [
                        "kind": .text(identity.kind), "issuer": .text(identity.issuer),
                        "subject": .text(identity.subject),
                    ])
                guard identity.kind == "passkey" else { continue }
                let removed = try connection.query(
                    "DELETE FROM passkey WHERE rp_id = :issuer AND credential_id = :subject RETURNING id",
                    ["issuer": .text(identity.issuer), "subject": .text(identity.subject)])
                for row in removed {
                    let event = PasskeyEnd.restored.event(of: try row.text("id"), identity.accountID, by: actor)
                    try audit.write(event, connection)
                }
            }
            for membership in ended.memberships {
                try connection.execute(
                    "DELETE FROM group_member WHERE account_id = :account AND group_id = :group",
                    ["account": .text(membership.accountID), "group": .text(membership.group)])
            }
            for account in ended.disabled {
                try connection.execute("UPDATE account SET disabled = 1 WHERE id = :id", ["id": .text(account.id)])
            }
        }
    }
}
