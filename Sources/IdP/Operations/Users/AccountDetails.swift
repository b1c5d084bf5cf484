package import IdPAccounts
import IdPClients
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
            // Also what has ended: the newest of each client.
            var clients: [AccountDetails.Client] = []
            for signIn in try ClientSignIns().all(of: id, endedSince: Timestamp(milliseconds: 0), connection)
            where !clients.contains(where: { $0.id == signIn.clientID }) {
                clients.append(.init(id: signIn.clientID, at: signIn.lastUsedAt))
            }
            return AccountDetails(
                row: row, identities: try AccountStore.identities(of: id, connection),
                groups: try GroupStore.groups(of: id, connection),
                invitation: try InvitationStore.latest(of: id, connection), clients: clients)
        }
    }
}
