import IdPDirectory
import SSOWeb
import Storage

/// What had ended after a backup was made, and would come back with it: found by a comparison with the database that the
/// restore replaces.
struct EndedSinceBackup: Sendable, Equatable {
    /// An identity that the account no longer had: removed by its user, revoked, or withdrawn by its provider.
    struct Identity: Sendable, Equatable {
        let kind, issuer, subject, accountID, email: String
        /// The provider's id in IDP_PROVIDERS_FILE, nil for other kinds.
        let provider: String?
    }

    /// An account that was disabled.
    struct DisabledAccount: Sendable, Equatable {
        let id, email: String
    }

    var identities: [Identity] = []
    var disabled: [DisabledAccount] = []
    /// How many accounts both databases have. Others cannot be compared.
    var accounts = 0

    var isEmpty: Bool { identities.isEmpty && disabled.isEmpty }
}

/// The rows of a backup before they are put in place.
///
/// Has SQL for tables of many owners: a restore changes them together, and no running program does any of this.
struct RestoredDatabase: Sendable {
    let database: any Database

    /// Ends what may have ended, been used or been sent after the backup was made.
    ///
    /// - Parameter actor: who restores, for the audit log.
    func endSignIns(now: Timestamp, by actor: AuditActor = .command(user: "unknown", sudo: nil)) async throws {
        let audit = AuditStore(database: database)
        try await database.write { connection in
            try IdPTable.end(.restore, at: now, connection)
            try audit.write(AuditRow(.databaseRestored, by: actor), connection)
        }
    }

    /// Compares with the database that is replaced. Only accounts of both databases count: one that the other database does
    /// not have was lost, and its identities were not removed.
    func ended(in replaced: any Database) async throws -> EndedSinceBackup {
        let (isDisabled, identities) = try await replaced.read { connection in
            (try Self.accounts(connection), try Self.identities(connection))
        }
        // On the writer: a reader may be open for a moment after its answer, and the file's log would stay beside it.
        let here = try await database.write { connection in
            (accounts: try Self.accounts(connection), identities: try Self.identities(connection))
        }
        var ended = EndedSinceBackup()
        for (id, account) in here.accounts.sorted(by: { $0.value.email < $1.value.email }) {
            guard let other = isDisabled[id] else { continue }
            ended.accounts += 1
            if other.isDisabled && !account.isDisabled { ended.disabled.append(.init(id: id, email: account.email)) }
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
        ended.identities.sort {
            ($0.email, $0.kind, $0.issuer, $0.subject) < ($1.email, $1.kind, $1.issuer, $1.subject)
        }
        return ended
    }

    /// Removes the identities and disables the accounts.
    func end(_ ended: EndedSinceBackup) async throws {
        try await database.write { connection in
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
            for account in ended.disabled {
                try connection.execute("UPDATE account SET disabled = 1 WHERE id = :id", ["id": .text(account.id)])
            }
        }
    }

    private struct IdentityKey: Hashable {
        let kind, issuer, subject: String
    }

    private static func accounts(
        _ connection: any SQLConnection
    ) throws -> [String: (email: String, isDisabled: Bool)] {
        let rows = try connection.query("SELECT id, email, disabled FROM account")
        return try Dictionary(
            rows.map { (try $0.text("id"), (email: try $0.text("email"), isDisabled: try $0.integer("disabled") != 0)) }
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
