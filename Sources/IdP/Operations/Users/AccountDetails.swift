package import IdPAccounts
package import IdPClients
import IdPSignOut
import SSOShared
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
    /// What it may enter now.
    package let mayEnter: [Entry]

    /// A client that the user has entered.
    package struct Client: Sendable {
        package let id: String
        /// When it redeemed a token last.
        package let at: Timestamp
        /// When the newest sign-in there ended, and why; nil while one goes on.
        package let end: (at: Timestamp, reason: String)?
    }

    /// A client that the user may enter.
    package struct Entry: Sendable {
        package let id, name: String
        /// `everyone`, or the groups.
        package let reason: String
    }
}

extension AccountAdministration {
    /// The account of an address with what belongs to it; nil without one.
    ///
    /// - Parameter file: the clients of the file and of the `SSO_…` settings, where the caller has read them.
    package func details(
        of address: String, file: ClientRegistry
    ) async throws -> AccountDetails? {
        guard let row = try await row(of: address) else { return nil }
        let id = row.account.id
        return try await database.read { connection in
            let groups = try GroupStore.groups(of: id, connection)
            let isOut = row.state == .disabled || row.state == .ended
            let known = isOut ? [] : try KnownClients(file: file, connection).all
            return AccountDetails(
                row: row, identities: try AccountStore.identities(of: id, connection), groups: groups,
                invitation: try InvitationStore.latest(of: id, connection),
                clients: try Self.entered(by: id, connection),
                mayEnter: known.compactMap { client in
                    KnownClients.reason(client, groups: groups).map {
                        .init(id: client.id, name: client.name, reason: $0)
                    }
                })
        }
    }

    /// The newest sign-in at each client, or of several one that goes on. Also what has ended.
    private static func entered(
        by account: String, _ connection: any SQLConnection
    ) throws -> [AccountDetails.Client] {
        let all = try ClientSignIns().all(of: account, endedSince: Timestamp(milliseconds: 0), connection)
        var seen: Set<String> = []
        return all.filter { seen.insert($0.clientID).inserted }.map { newest in
            let own = all.filter { $0.clientID == newest.clientID }
            let last = own.compactMap { signIn in
                signIn.endedAt.map { (at: $0, reason: signIn.reason?.rawValue ?? "-") }
            }
            .max { $0.at < $1.at }
            return .init(
                id: newest.clientID, at: newest.lastUsedAt, end: own.contains { $0.endedAt == nil } ? nil : last)
        }
    }
}
