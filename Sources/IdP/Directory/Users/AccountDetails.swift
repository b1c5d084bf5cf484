package import SSOWeb
import Storage

/// What an operator sees of one account.
package struct AccountDetails: Sendable {
    package let row: AccountAdministration.Row
    package let identities: [AccountIdentity]
    package let groups: [String]
    /// The newest one.
    package let invitation: Invitation?
    package let clients: [Client]

    /// A client that the user has entered.
    package struct Client: Sendable {
        package let id: String
        /// When it redeemed a token last.
        package let at: Timestamp
    }
}

extension AccountAdministration {
    /// The account of an address with what belongs to it; nil without one.
    package func details(of address: String) async throws -> AccountDetails? {
        guard let row = try await row(of: address) else { return nil }
        let id = row.account.id
        return try await database.read { connection in
            let identities = try connection.query(
                """
                SELECT \(AccountIdentity.columns) FROM account_identity
                 WHERE account_id = :account ORDER BY created_at, kind, issuer, subject
                """, ["account": .text(id)]
            ).map(AccountIdentity.init)
            // Of the protocols' rows: the client's names are known to the running IdP alone.
            let clients = try connection.query(
                """
                SELECT client_id, MAX(used_at) AS used_at FROM sso_token
                 WHERE account_id = :account AND used_at IS NOT NULL GROUP BY client_id ORDER BY 2 DESC, 1
                """, ["account": .text(id)]
            ).map { AccountDetails.Client(id: try $0.text("client_id"), at: try $0.timestamp("used_at")) }
            return AccountDetails(
                row: row, identities: identities, groups: try GroupStore.groups(of: id, connection),
                invitation: try InvitationStore.latest(of: id, connection), clients: clients)
        }
    }
}
