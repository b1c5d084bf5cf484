package import IdPClients
package import IdPSignOut
package import SSOWeb
package import Storage

/// The one place that learns who has lost access to which client.
///
/// Every change of a group, of a client's rule or of the list of clients calls it. The grants of such users are refused from the
/// change on by their own condition (``AccessHolds``), and so are those of a client that is disabled. The client is told in
/// further transactions, with the audit log: one of all users would be too long for PostgreSQL.
package enum AccessLoss {
    /// Accounts in one transaction.
    private static let slice = 100

    /// Ends what accounts have at a client that they may not enter any more, and nothing at another client.
    ///
    /// - Parameters:
    ///   - accounts: the ids of those who could enter until now; nil for all who have signed in at the client.
    ///   - access: its rule by now.
    ///   - actor: who has made the change.
    ///   - record: says what happens in the same transaction.
    package static func end(
        _ accounts: [String]? = nil, at client: String, with access: ClientAccess, by actor: AuditActor,
        _ signOuts: SignOuts, _ database: any Database,
        audit record: @escaping @Sendable (Event, any SQLConnection) throws -> Void
    ) async throws {
        try await void(at: client, without: access, at: signOuts.clock.now(), database)
        let lost: [String]
        if let accounts {
            lost = accounts
        } else {
            // On a reader: only who has lost access costs a transaction.
            lost = try await database.read { try Self.accounts(without: access, at: client, $0) }
        }
        for start in stride(from: 0, to: lost.count, by: slice) {
            let some = lost[start..<min(start + slice, lost.count)]
            try await database.write { connection in
                // Some may have joined a group meanwhile.
                let ended = try some.filter { try !access.admits(account: $0, connection) }
                try signOuts.end(ended.map { .atClient(client, of: $0) }, .noAccess, by: actor, connection) {
                    try record($0, connection)
                }
            }
        }
    }

    /// The same after the change of an operator.
    package static func end(
        _ accounts: [String]? = nil, at client: String, with access: ClientAccess, after context: ChangeContext
    ) {
        context.afterwards { context, database in
            try await end(
                accounts, at: client, with: access, by: context.actor, context.signOuts, database
            ) { try context.record($0, $1) }
        }
    }

    /// Voids the unused grants of users who may not enter a client, also if they may again later.
    private static func void(
        at client: String, without access: ClientAccess, at now: Timestamp, _ database: any Database
    ) async throws {
        guard case .groups = access else { return }
        let condition = """
            client_id = :client AND \(ClientGrants.unused) AND NOT \(AccessHolds.sql("sso_token.account_id"))
            """
        let named = ClientGrants.values(at: now).merging([
            "client": .text(client), "access": AccessHolds.value(access),
        ])
        let isNeeded = try await database.read {
            try !$0.query("SELECT 1 AS one FROM sso_token WHERE \(condition) LIMIT 1", named).isEmpty
        }
        guard isNeeded else { return }
        try await database.write {
            try $0.execute(
                "UPDATE sso_token SET voided_at = :now WHERE \(condition)", named.merging(["now": .timestamp(now)]))
        }
    }

    /// The ids of the accounts that have signed in at a client and may not enter it with this rule. Looks at every sign-in at the
    /// client.
    package static func accounts(
        without access: ClientAccess, at client: String, _ connection: any SQLConnection
    ) throws -> [String] {
        guard case .groups = access else { return [] }
        return try connection.query(
            lostSQL, ["client": .text(client), "access": AccessHolds.value(access)]
        ).map { try $0.text("account_id") }
    }

    private static let lostSQL = """
        SELECT DISTINCT account_id FROM client_sign_in
         WHERE client_id = :client AND \(ClientSignIns.isOpen)
           AND NOT \(AccessHolds.sql("client_sign_in.account_id"))
        """
}
