package import IdPClients
package import SSOWeb
package import Storage

/// The one place that learns who has lost access to which client.
///
/// Every change of a group, of a client's rule or of the list of clients calls it, in the transaction of the change. The client
/// is told, and the audit log has it; the grants of such users are refused from that moment on by their own condition
/// (``AccessHolds``).
package enum AccessLoss {
    /// Ends what accounts have at a client that they may not enter any more, and nothing at another client.
    ///
    /// - Parameters:
    ///   - accounts: the ids of those who could enter until now.
    ///   - actor: who has made the change.
    ///   - record: says what happens in the same transaction.
    package static func report(
        accounts: [String], client: String, by actor: AuditActor, _ signOuts: SignOuts,
        _ connection: any SQLConnection, audit record: (Event) throws -> Void
    ) throws {
        for account in accounts {
            try signOuts.end(.atClient(client, of: account), .noAccess, by: actor, connection, audit: record)
        }
    }

    /// The same for all who may not enter a client with its new rule, which an operator has changed.
    package static func report(
        at client: String, with access: ClientAccess, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws {
        try report(
            accounts: accounts(without: access, at: client, connection), client: client, by: context.actor,
            context.signOuts, connection
        ) { try context.write($0, connection) }
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
