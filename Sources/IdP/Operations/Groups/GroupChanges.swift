package import IdPAccounts
package import IdPClients
import SSOWeb
package import Storage

/// Makes a group without members.
package struct MakeGroup: OperatorChange {
    let group: String

    package init(_ group: String) { self.group = group }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Void> {
        if try GroupStore.find(group, connection) != nil { return Changed((), isChanged: false) }
        guard try GroupStore.all(connection).count < GroupStore.maximumGroups else {
            throw ChangeError(
                "there are \(GroupStore.maximumGroups) groups, and no more are allowed. Remove one that nobody needs: idp group remove."
            )
        }
        let isChanged = try GroupStore.add(group, at: context.now, connection)
        try context.record(.group(group, .added), connection)
        return Changed((), isChanged: isChanged)
    }
}

/// Removes a group with its memberships. Refused while a client names it.
package struct RemoveGroup: OperatorChange {
    let group: String
    let file: ClientRegistry
    let isForced: Bool

    /// - Parameters:
    ///   - file: the clients of the file and of the `SSO_…` settings.
    ///   - isForced: also when it has members, or when only the file that the running IdP has read names it.
    package init(_ group: String, file: ClientRegistry, isForced: Bool = false) {
        (self.group, self.file, self.isForced) = (group, file, isForced)
    }

    /// - Returns: how many members it had.
    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Int> {
        let found = try GroupStore.existing(group, connection)
        try checkUnnamed(connection)
        let members = found.memberCount
        let words = "\(members) member\(members == 1 ? "" : "s")"
        guard members == 0 || isForced else {
            throw ChangeError(
                "\(words) lose\(members == 1 ? "s" : "") the group \(group). To remove it: idp group remove \(group) --force"
            )
        }
        let naming = try KnownClients(file: file, connection).all.filter { $0.access.names(group) }
        try GroupStore.remove(group, connection)
        for client in naming { AccessLoss.end(at: client.id, with: client.access, after: context) }
        try context.record(.group("\(group), \(words)", .removed), connection)
        return Changed(members, isChanged: true)
    }

    private func checkUnnamed(_ connection: any SQLConnection) throws {
        let naming = try KnownClients(file: file, connection).all.filter {
            $0.names(group) && !($0.isRecorded && isForced)
        }
        guard !naming.isEmpty else { return }
        let ids = naming.map(\.id).joined(separator: ", ")
        let isRecorded = naming.allSatisfy(\.isRecorded)
        throw ChangeError(
            """
            the group \(group) is named by the client\(naming.count == 1 ? "" : "s") \(ids)\
            \(isRecorded ? " in the clients file of the running IdP" : ""). \
            Take it out of groups and expose_groups there first\(isRecorded ? ", and send SIGHUP" : "").
            """)
    }
}

/// Adds accounts to a group: all of them or, if one cannot be, none.
package struct JoinGroup: OperatorChange {
    let group: String
    let addresses: [String]

    package init(_ group: String, _ addresses: [String]) { (self.group, self.addresses) = (group, addresses) }

    /// - Returns: the addresses of those who were not members.
    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<[String]> {
        _ = try GroupStore.existing(group, connection)
        let accounts = try GroupStore.accounts(of: addresses, connection)
        let joined = try GroupStore.join(accounts, group, context, connection).map(\.email)
        return Changed(joined, isChanged: !joined.isEmpty)
    }
}

/// Takes accounts out of a group: all of them or, if one is unknown, none.
package struct LeaveGroup: OperatorChange {
    let group: String
    let addresses: [String]
    let file: ClientRegistry

    /// - Parameter file: the clients of the file and of the `SSO_…` settings.
    package init(_ group: String, _ addresses: [String], file: ClientRegistry) {
        (self.group, self.addresses, self.file) = (group, addresses, file)
    }

    /// Those who were members, and what they have lost.
    package struct Left: Sendable {
        package let addresses: [String]
        /// The clients that some of them could enter until now, and how many those are.
        package let lost: [(client: String, users: Int)]
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Left> {
        _ = try GroupStore.existing(group, connection)
        let left = try GroupStore.accounts(of: addresses, connection).filter { account in
            guard try GroupStore.leave(group, account: account.id, connection) else { return false }
            try context.record(.group(group, .left, account), connection)
            return true
        }
        let staying = try left.map { (id: $0.id, groups: try GroupStore.groups(of: $0.id, connection)) }
        var losses: [(client: String, users: Int)] = []
        for client in try KnownClients(file: file, connection).all where client.access.names(group) {
            let lost = staying.filter { !client.access.admits($0.groups) }.map(\.id)
            if !lost.isEmpty, client.isEnabled { losses.append((client.id, lost.count)) }
            AccessLoss.end(lost, at: client.id, with: client.access, after: context)
        }
        return Changed(Left(addresses: left.map(\.email), lost: losses), isChanged: !left.isEmpty)
    }
}

extension GroupStore {
    /// - Throws: ``ChangeError``.
    fileprivate static func existing(_ group: String, _ connection: any SQLConnection) throws -> UserGroup {
        guard let found = try find(group, connection) else {
            throw ChangeError(try UnknownName.group(group, connection))
        }
        return found
    }

    /// The accounts of addresses, each once. Upper and lower case are the same.
    ///
    /// - Throws: ``ChangeError`` with every address that nobody has.
    fileprivate static func accounts(of addresses: [String], _ connection: any SQLConnection) throws -> [Account] {
        var (accounts, unknown): ([Account], [String]) = ([], [])
        for address in addresses {
            guard let account = try AccountStore.find(email: address.lowercased(), connection) else {
                unknown.append(address)
                continue
            }
            if !accounts.contains(where: { $0.id == account.id }) { accounts.append(account) }
        }
        if unknown.count == 1 {
            throw ChangeError("\(try UnknownName.account(unknown[0], connection)) Nothing was changed.")
        }
        guard unknown.isEmpty else {
            throw ChangeError(
                "there is no account with the address \(unknown.joined(separator: ", ")). Nothing was changed.")
        }
        return accounts
    }

    /// Adds accounts to a group that exists, with the rows of the audit log.
    ///
    /// - Returns: those that were not members.
    /// - Throws: ``ChangeError`` with every account that is in too many groups.
    package static func join(
        _ accounts: [Account], _ group: String, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> [Account] {
        let joined = try accounts.filter {
            try join(group, account: $0.id, at: context.now, connection)
        }
        let full = try joined.filter { try groups(of: $0.id, connection).count > maximumPerAccount }.map(\.email)
        guard full.isEmpty else {
            throw ChangeError(
                """
                \(full.joined(separator: ", ")): in \(maximumPerAccount) groups already, and no more are allowed. \
                Nothing was changed.
                """)
        }
        for account in joined {
            try context.record(.group(group, .joined, account), connection)
        }
        return joined
    }
}

extension Event {
    /// - Parameter account: the one that joins or leaves.
    static func group(_ group: String, _ change: GroupChange, _ account: Account? = nil) -> Event {
        Event(.groupChanged, account: account?.id, cause: change.rawValue, detail: group)
    }
}
