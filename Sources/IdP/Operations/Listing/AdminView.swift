package import IdPAccounts
package import IdPClients
package import IdPSignOut
package import SSOWeb
package import Storage

/// What admin pages read, in the transaction that makes a change as well as before it.
package enum AdminView {
    package static func account(_ id: String, _ connection: any SQLConnection) throws -> Account? {
        try AccountStore.find(id, connection)
    }

    package static func account(of address: String, _ connection: any SQLConnection) throws -> Account? {
        try AccountStore.find(email: address.lowercased(), connection)
    }

    /// The addresses of the accounts that rows of the audit log are about or by, by id.
    package static func addresses(
        in rows: [AuditEntry], _ connection: any SQLConnection
    ) throws -> [String: String] {
        try addresses(of: rows.compactMap(\.account) + rows.compactMap(\.actingAccount), connection)
    }

    /// The addresses of accounts, by id.
    package static func addresses(
        of ids: [String], _ connection: any SQLConnection
    ) throws -> [String: String] {
        try Set(ids).reduce(into: [:]) { $0[$1] = try account($1, connection)?.email }
    }

    /// The groups of an account, and its last sign-in. A way to sign in is noted as used from the second time on.
    package static func summary(
        of account: Account, _ connection: any SQLConnection
    ) throws -> (groups: [String], usedAt: Timestamp?) {
        (
            try GroupStore.groups(of: account.id, connection),
            try (AccountStore.identities(of: account.id, connection).map(\.usedAt) + [account.begunAt])
                .compactMap(\.self).max()
        )
    }

    /// Whether somebody has signed in to an account.
    package static func isUsed(_ account: Account, _ connection: any SQLConnection) throws -> Bool {
        try AccountStore.hasBegun(account, connection)
    }

    package static func invitation(
        of account: Account, _ connection: any SQLConnection
    ) throws -> Invitation? { try InvitationStore.latest(of: account.id, connection) }

    /// What ``WithdrawInvitation`` would do.
    package struct Withdrawal: Sendable {
        /// Whether a link ends, and whether the account is added no more.
        package let endsLink, isRemoved: Bool
        package var changesAnything: Bool { endsLink || isRemoved }
    }

    package static func withdrawal(
        of account: Account, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Withdrawal {
        Withdrawal(
            endsLink: try invitation(of: account, connection)?.isPending(at: now) ?? false,
            isRemoved: try AccountStore.isInvited(account.id, connection))
    }

    /// The ways to sign in to an account.
    package static func identities(
        of account: Account, _ connection: any SQLConnection
    ) throws -> [AccountIdentity] { try AccountStore.identities(of: account.id, connection) }

    package static func passkeys(of account: Account, _ connection: any SQLConnection) throws -> [Passkey] {
        try PasskeyStore.all(of: account.id, connection)
    }

    package static func groups(of account: Account, _ connection: any SQLConnection) throws -> [String] {
        try GroupStore.groups(of: account.id, connection)
    }

    package static func groups(_ connection: any SQLConnection) throws -> [UserGroup] {
        try GroupStore.all(connection)
    }

    package static func group(_ id: String, _ connection: any SQLConnection) throws -> UserGroup? {
        try GroupStore.find(id, connection)
    }

    package static func members(
        of group: String, after: String = "", limit: Int = .max, _ connection: any SQLConnection
    ) throws -> [String] {
        try GroupStore.members(of: group, after: after, limit: limit, connection)
    }

    /// What ends with all sign-ins of an account: its sessions and apps, and the clients that are told.
    package static func sessions(
        of account: Account, _ devices: AppDevices, _ connection: any SQLConnection
    ) throws -> (sessions: [UserSession], clients: Set<String>) {
        let signIns = try ClientSignIns().all(
            of: account.id, endedSince: Timestamp(milliseconds: .max / 2), connection)
        return (
            try devices.userSessions(of: account, connection),
            Set(signIns.filter { $0.endedAt == nil }.map(\.clientID))
        )
    }

    /// The messages about the ends of a user's sessions.
    package static func signOuts(
        of account: Account, since: Timestamp, _ signOuts: SignOuts, _ connection: any SQLConnection
    ) throws -> [QueuedSignOut] { try signOuts.queue.all(of: account.id, since: since, connection) }

    package static func roles(_ connection: any SQLConnection) throws -> [GrantedRole] {
        try RoleStore.all(connection)
    }

    package static func role(
        of account: Account, named: AdminAddresses, _ connection: any SQLConnection
    ) throws -> AdminRole? { try RoleStore.role(of: account, named: named, connection) }

    package static func clients(file: ClientRegistry, _ connection: any SQLConnection) throws -> [ClientView] {
        try ClientView.all(file: file, connection)
    }

    /// What an operator should know about a client: one sentence each.
    package static func warnings(about client: Client, _ connection: any SQLConnection) throws -> [String] {
        try GroupStore.warnings(about: [client], connection) + client.addressWarnings
    }

    /// How many accounts are signed in at a client and may not enter with this access.
    package static func losing(
        _ access: ClientAccess, at client: String, _ connection: any SQLConnection
    ) throws -> Int { try AccessLoss.accounts(without: access, at: client, connection).count }

    package static func audit(
        _ search: AuditSearch, before: [UInt8]? = nil, limit: Int, _ connection: any SQLConnection
    ) throws -> [AuditEntry] { try AuditStore.newest(search, before: before, limit: limit, connection) }

    /// The rows of an account, the newest first.
    package static func audit(
        of account: Account, limit: Int, _ store: AuditStore, _ connection: any SQLConnection
    ) throws -> [AuditEntry] { try store.newest(of: account.id, limit: limit, connection) }
}

extension AdminView {
    /// How many refusals of some events each client has had.
    package static func refusals(
        _ events: [String], since: Timestamp, _ connection: any SQLConnection
    ) throws -> [String: Int] {
        try AuditStore.counts(of: events, by: .client, since: since, connection)
    }

    /// The newest refusals of one client since a moment.
    package static func refusals(
        _ events: [String], of client: String, since: Timestamp, limit: Int, _ connection: any SQLConnection
    ) throws -> [AuditEntry] {
        try AuditStore.newest(of: events, client: client, since: since, limit: limit, connection)
    }

    /// Messages to clients, those that wait first.
    package static func signOuts(
        limit: Int, _ queue: SignOutQueue, _ connection: any SQLConnection
    ) throws -> [QueuedSignOut] {
        let waiting = try queue.all(isWaiting: true, limit: limit, connection)
        let ids = Set(waiting.map(\.id))
        let all = try queue.all(isWaiting: false, limit: limit, connection).filter { !ids.contains($0.id) }
        return Array((waiting + all).prefix(limit))
    }

    /// The addresses that were sent with the id of a client and are not registered, the newest first.
    package static func refusedAddresses(
        of client: String, _ connection: any SQLConnection
    ) throws -> [RefusedAddresses.Row] { try RefusedAddresses.all(of: client, connection) }

    package static func signOut(
        _ id: String, _ queue: SignOutQueue, _ connection: any SQLConnection
    ) throws -> QueuedSignOut? { try queue.find(id, connection) }
}

extension AdminView {
    /// How many rows there are since a moment, by one of their texts.
    package static func counts(
        _ events: [String], by part: AuditStore.Part, since: Timestamp, _ connection: any SQLConnection
    ) throws -> [String: Int] { try AuditStore.counts(of: events, by: part, since: since, connection) }

    /// The newest rows of some events since a moment, the newest first.
    package static func newest(
        _ events: [String], since: Timestamp, limit: Int, _ connection: any SQLConnection
    ) throws -> [AuditEntry] {
        events.isEmpty ? [] : try AuditStore.newest(of: events, since: since, limit: limit, connection)
    }
}
