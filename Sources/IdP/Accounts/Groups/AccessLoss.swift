package import IdPClients
package import SSOWeb
package import Storage

/// The one place that learns who has lost access to which client.
///
/// Every change of a group, of a client's rule or of the list of clients calls it. The grants of such users are refused from the
/// change on by their own condition (``AccessHolds``), and so are those of a client that is disabled. They are void, also if access
/// is given again, and the client is told in further transactions, with the audit log: one of all users would be too long for
/// PostgreSQL.
package enum AccessLoss {
    /// Accounts in one transaction.
    private static let slice = 100

    /// Ends what accounts have at a client that they may not enter any more, and nothing at another client.
    ///
    /// - Parameters:
    ///   - accounts: the ids of those who could enter until now; nil for all who have something at the client.
    ///   - access: its rule by now.
    ///   - actor: who has made the change.
    ///   - record: says what happens in the same transaction.
    package static func end(
        _ accounts: [String]? = nil, at client: String, with access: ClientAccess, by actor: AuditActor,
        _ signOuts: SignOuts, _ database: any Database,
        audit record: @escaping @Sendable (Event, any SQLConnection) throws -> Void
    ) async throws {
        let lost: [String]
        if let accounts {
            lost = accounts
        } else {
            // On a reader: only who has lost access costs a transaction.
            let now = signOuts.clock.now()
            lost = try await database.read {
                try Set(Self.accounts(without: access, at: client, $0))
                    .union(ClientGrants.accounts(without: access, at: client, at: now, $0)).sorted()
            }
        }
        for start in stride(from: 0, to: lost.count, by: slice) {
            let some = lost[start..<min(start + slice, lost.count)]
            try await database.write { connection in
                // Some may have joined a group meanwhile.
                let ended = try some.filter { try !access.admits(account: $0, connection) }
                for account in ended {
                    try ClientGrants.void(of: client, for: account, at: signOuts.clock.now(), connection)
                }
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
