package import IdPClients
package import Storage

/// The rule who may enter a client: once for statements, and once for what is shown. A group that nobody has made has no
/// members, so it lets nobody in.
package enum AccessHolds {
    /// The condition that an account may enter a client, with ``value(_:)`` as `:access`. A client for everyone costs one
    /// comparison.
    ///
    /// The id of a group has neither a space nor a wildcard of LIKE (``ClientID/isWellFormed(_:)``).
    ///
    /// - Parameter account: the column or value with the id of the account.
    package static func sql(_ account: String) -> String {
        """
        (:access = '\(everyone)' OR EXISTS (SELECT 1 FROM group_member m WHERE m.account_id = \(account)
                                       AND :access LIKE '% ' || m.group_id || ' %'))
        """
    }

    /// The client's rule, as the value `:access`.
    package static func value(_ access: ClientAccess) -> SQLValue {
        switch access {
        case .unstated, .everyone: .text(everyone)
        case .groups(let groups): .text(" \(groups.joined(separator: " ")) ")
        }
    }

    private static let everyone = "*"
}

extension ClientAccess {
    /// Whether a member of these groups may enter.
    package func admits(_ groups: [String]) -> Bool {
        switch self {
        case .unstated, .everyone: true
        case .groups(let allowed): groups.contains { allowed.contains($0) }
        }
    }

    /// Whether an account may enter, as the rows say at this moment. Asks the database only about a client with groups.
    package func admits(account: String, _ connection: any SQLConnection) throws -> Bool {
        guard case .groups = self else { return true }
        return admits(try GroupStore.groups(of: account, connection))
    }

    /// Whether the rule names a group.
    package func names(_ group: String) -> Bool {
        if case .groups(let groups) = self { groups.contains(group) } else { false }
    }
}

extension Client {
    /// Whether it names any group.
    var namesGroups: Bool {
        if case .groups = access { return true }
        return exposedGroups?.isEmpty == false
    }

    /// Whether it lets members of a group in, or is told of it.
    package func names(_ group: String) -> Bool { access.names(group) || exposedGroups?.contains(group) == true }

    /// The groups of an account that this client is told, sorted; nil if it is told none. At most as many as it lists.
    package func groupsTold(of account: String, _ connection: any SQLConnection) throws -> [String]? {
        guard let exposedGroups else { return nil }
        return try GroupStore.groups(of: account, connection).filter { exposedGroups.contains($0) }
    }
}
