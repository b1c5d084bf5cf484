package import IdPAccounts
package import IdPClients
import IdPOperations
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
    let database: any Database
    private let protocols: ClientProtocols

    /// - Parameter protocols: those that clients may use.
    package init(database: any Database, of protocols: ClientProtocols) {
        (self.database, self.protocols) = (database, protocols)
    }

    /// Ends what may have ended, been used or been sent after the backup was made.
    ///
    /// - Parameters:
    ///   - actor: who restores, for the audit log.
    ///   - later: sign-ins at clients of the database that is replaced. Clients are told of them, and of those of the backup.
    package func endSignIns(
        now: Timestamp, by actor: AuditActor = .command(user: "unknown", sudo: nil), telling later: [ClientSignIn] = []
    ) async throws {
        let audit = AuditStore(database: database)
        try await database.write { connection in
            try IdPTable.end(.restore, at: now, connection)
            try audit.write(Event(.databaseRestored, by: actor), connection)
        }
        try await tellClients(of: later, at: now, by: actor)
    }

    /// Tells the clients of every sign-in that the backup knows, and of those that were made after it.
    private func tellClients(of later: [ClientSignIn], at now: Timestamp, by actor: AuditActor) async throws {
        let audit = AuditStore(database: database)
        let signOuts = SignOuts(
            clock: ServiceClock { now }, randomness: SystemRandomness(), protocols: protocols)
        try await database.write { connection in
            for signIn in later { try signOuts.signIns.adopt(signIn, connection) }
            var last = ""
            while true {
                let accounts = try signOuts.signIns.accounts(after: last, limit: 500, connection)
                for account in accounts {
                    try signOuts.end(.all(of: account), .restored, by: actor, connection) {
                        try audit.write($0, connection)
                    }
                }
                guard let next = accounts.last else { return }
                last = next
            }
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
        let (isDisabled, identities, memberships, erased, registry, rows) = try await replaced.read { connection in
            (
                try Self.accounts(connection), try Self.identities(connection), try Self.memberships(connection),
                try Self.erased(connection), try Registry(connection), try ComparedRows(connection)
            )
        }
        // On the writer: a reader may be open for a moment after its answer, and the file's log would stay beside it.
        let here = try await database.write { connection in
            (
                accounts: try Self.accounts(connection), identities: try Self.identities(connection),
                memberships: try Self.memberships(connection), registry: try Registry(connection),
                rows: try ComparedRows(connection), added: try AddedRows(connection)
            )
        }
        var ended = EndedSinceBackup()
        for (id, account) in here.accounts.sorted(by: { $0.value.email < $1.value.email }) {
            let other = isDisabled[id]
            ended.accounts += other == nil ? 0 : 1
            if other?.isDisabled ?? erased.contains(id), !account.isDisabled {
                ended.disabled.append(.init(id: id, email: account.email))
            }
        }
        for (key, identity) in here.identities {
            guard isDisabled[identity.accountID] != nil, let account = here.accounts[identity.accountID] else {
                continue
            }
            guard identities[key]?.accountID != identity.accountID else { continue }
            ended.identities.append(
                .init(
                    kind: key.kind, issuer: key.issuer, subject: key.subject, accountID: identity.accountID,
                    email: account.email, provider: identity.provider))
        }
        ended.memberships = here.memberships.subtracting(memberships).compactMap {
            key -> EndedSinceBackup.Membership? in
            guard isDisabled[key.accountID] != nil, let account = here.accounts[key.accountID] else { return nil }
            return .init(accountID: key.accountID, email: account.email, group: key.group)
        }.sorted { ($0.email, $0.group) < ($1.email, $1.group) }
        ended.identities.sort {
            ($0.email, $0.kind, $0.issuer, $0.subject) < ($1.email, $1.kind, $1.issuer, $1.subject)
        }
        here.registry.compare(with: registry, isSame: ended.accounts > 0, &ended)
        ended.changes = here.rows.changes(in: rows).map { change in
            var change = change
            change.address = change.table == "client" ? "" : here.accounts[change.id]?.email ?? ""
            return change
        }
        ended.added = try await replaced.read { try AddedRows($0) }.missing(in: here.added)
        let (moved, taken) = (
            Set(ended.changes.filter(\.isAddress).map(\.id)), Set(ended.changes.filter(\.isAddress).map(\.now.content))
        )
        ended.displaced = here.accounts.filter { !moved.contains($0.key) && taken.contains($0.value.email) }
            .map { .init(id: $0.key, email: $0.value.email) }.sorted { $0.email < $1.email }
        return ended
    }

    /// Removes the identities, memberships, signing keys and secrets, disables the accounts and clients, and puts later values
    /// in place.
    package func end(_ ended: EndedSinceBackup) async throws {
        try await database.write { connection in
            try ended.apply(connection)
            try ended.added.add(connection)
            try Registry.end(ended, connection)
            for identity in ended.identities {
                try connection.execute(
                    """
                    DELETE FROM account_identity WHERE kind = :kind AND issuer = :issuer AND subject = :subject
                    """,
                    [
                        "kind": .text(identity.kind), "issuer": .text(identity.issuer),
                        "subject": .text(identity.subject),
                    ])
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

    private struct IdentityKey: Hashable {
        let kind, issuer, subject: String
    }

    private struct MembershipKey: Hashable {
        let accountID, group: String
    }

    private static func memberships(_ connection: any SQLConnection) throws -> Set<MembershipKey> {
        let rows = try connection.query("SELECT account_id, group_id FROM group_member")
        return try Set(
            rows.map { MembershipKey(accountID: try $0.text("account_id"), group: try $0.text("group_id")) })
    }

    /// The ids of accounts that were erased, as far as the audit log goes back.
    private static func erased(_ connection: any SQLConnection) throws -> Set<String> {
        Set(
            try connection.query("SELECT account_id FROM audit_event WHERE event = 'user_erased'").compactMap {
                try $0.optionalText("account_id")
            })
    }

    private static func accounts(
        _ connection: any SQLConnection
    ) throws -> [String: (email: String, isDisabled: Bool)] {
        let rows = try connection.query("SELECT id, email, disabled, erase_at FROM account")
        return try Dictionary(
            rows.map { row in
                let isDisabled = try row.integer("disabled") != 0 || row.optionalInteger("erase_at") != nil
                return (try row.text("id"), (email: try row.text("email"), isDisabled: isDisabled))
            }
        ) { first, _ in first }
    }

    private static func identities(
        _ connection: any SQLConnection
    ) throws -> [IdentityKey: (accountID: String, provider: String?)] {
        let rows = try connection.query("SELECT kind, issuer, subject, account_id, provider FROM account_identity")
        return try Dictionary(
            rows.map { row in
                let key = IdentityKey(
                    kind: try row.text("kind"), issuer: try row.text("issuer"), subject: try row.text("subject"))
                return (key, (accountID: try row.text("account_id"), provider: try row.optionalText("provider")))
            }
        ) { first, _ in first }
    }
}

/// Signing keys and clients of a database.
private struct Registry: Sendable {
    let keys: [SigningKeyRow]
    let clients: [StoredClient]
    /// The ids of clients that were removed, as far as the audit log goes back.
    let removed: Set<String>

    struct SigningKeyRow: Sendable {
        let id, algorithm: String
        let generation: Int64
    }

    init(_ connection: any SQLConnection) throws {
        keys = try connection.query(
            "SELECT kid, algorithm, generation FROM signing_key ORDER BY algorithm, generation"
        ).map {
            SigningKeyRow(
                id: try $0.text("kid"), algorithm: try $0.text("algorithm"), generation: try $0.integer("generation"))
        }
        clients = try ClientStore().all(connection)
        removed = Set(
            try connection.query(
                "SELECT client_id FROM audit_event WHERE event = 'client_changed' AND detail = 'removed'"
            ).compactMap { try $0.optionalText("client_id") })
    }

    /// Adds what had ended in the replaced database.
    ///
    /// - Parameter isSame: whether the databases have accounts in common. In a new one everything is missing, and nothing has
    ///   ended.
    func compare(with replaced: Registry, isSame: Bool, _ ended: inout EndedSinceBackup) {
        let known = Set(replaced.keys.map(\.id))
        let isRelated = isSame || keys.contains { known.contains($0.id) }
        for key in keys where !known.contains(key.id) {
            let isFollowed = replaced.keys.contains {
                $0.algorithm == key.algorithm && $0.generation > key.generation
            }
            if isRelated || isFollowed { ended.keys.append(.init(id: key.id, algorithm: key.algorithm)) }
        }
        for client in clients {
            guard let other = replaced.clients.first(where: { $0.id == client.id }) else {
                if client.isEnabled, isSame || replaced.removed.contains(client.id) { ended.clients.append(client.id) }
                continue
            }
            let working = Set(other.secrets.filter { $0.replacedAt == nil }.map(\.fingerprint))
            let retired = client.secrets.filter { $0.replacedAt == nil || !other.has($0) }.map(\.fingerprint)
                .filter { !working.contains($0) }
            // One that has become public has none that could take their place.
            let hasNone = other.secrets.isEmpty && !client.secrets.isEmpty
            if client.isEnabled, !other.isEnabled || hasNone { ended.clients.append(client.id) }
            // Its entry is the later one, so it has the secrets of that: none where it has become public, and its first ones
            // where it was.
            let hasFirst = client.secrets.isEmpty && !other.secrets.isEmpty
            guard !retired.isEmpty || hasFirst else { continue }
            ended.secrets.append(.init(clientID: client.id, ended: retired, now: other.secrets))
        }
    }

    static func end(_ ended: EndedSinceBackup, _ connection: any SQLConnection) throws {
        for key in ended.keys {
            try connection.execute("DELETE FROM signing_key WHERE kid = :kid", ["kid": .text(key.id)])
        }
        for client in ended.clients {
            try connection.execute("UPDATE client SET is_enabled = 0 WHERE id = :id", ["id": .text(client)])
        }
        for client in ended.secrets {
            try connection.execute("DELETE FROM client_secret WHERE client_id = :id", ["id": .text(client.clientID)])
        }
        // After all were deleted: a fingerprint is one client's alone.
        for secret in ended.secrets.flatMap(\.now) {
            try connection.execute(
                """
                INSERT INTO client_secret (client_id, fingerprint, secret, added_at, replaced_at, ends_after)
                VALUES (:client, :print, :secret, :added, :replaced, :after) ON CONFLICT DO NOTHING
                """,
                [
                    "client": .text(secret.clientID), "print": .text(secret.fingerprint),
                    "secret": .blob(secret.sealed), "added": .timestamp(secret.addedAt),
                    "replaced": .optional(secret.replacedAt?.milliseconds),
                    "after": .integer(secret.endsAfter.milliseconds),
                ])
        }
    }
}

extension StoredClient {
    fileprivate func has(_ secret: StoredSecret) -> Bool {
        secrets.contains { $0.fingerprint == secret.fingerprint }
    }
}
