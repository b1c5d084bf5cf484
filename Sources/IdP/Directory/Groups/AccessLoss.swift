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
    ///   - write: writes a row of the audit log in the same transaction.
    package static func report(
        accounts: [String], client: String, by actor: AuditActor, _ signOuts: SignOuts,
        _ connection: any SQLConnection, audit write: (AuditRow) throws -> Void
    ) throws {
        for account in accounts {
            try signOuts.end(.atClient(client, of: account), .noAccess, by: actor, connection, audit: write)
        }
    }
}
