package import SSOWeb
package import Storage

/// A group of users. Groups are flat: no group is in another.
package struct UserGroup: Sendable {
    package let id: String
    package let createdAt: Timestamp
    package let memberCount: Int
}

/// Owns the rows of `user_group` and `group_member`. What an account may enter follows from them at every request: nothing of
/// it is kept in memory.
package enum GroupStore {
    package static let maximumGroups = 200
    /// Groups of one account.
    package static let maximumPerAccount = 100

    // MARK: Looking

    /// All groups, by id.
    package static func all(_ connection: any SQLConnection) throws -> [UserGroup] {
        try connection.query("SELECT \(columns) FROM user_group g ORDER BY g.id").map(UserGroup.init)
    }

    package static func find(_ id: String, _ connection: any SQLConnection) throws -> UserGroup? {
        try connection.query("SELECT \(columns) FROM user_group g WHERE g.id = :group", ["group": .text(id)]).first.map(
            UserGroup.init)
    }

    /// The addresses of a group's members, sorted.
    ///
    /// - Parameter after: the last address of the page before.
    package static func members(
        of id: String, after: String = "", limit: Int = .max, _ connection: any SQLConnection
    ) throws -> [String] {
        try connection.query(
            """
            SELECT email FROM account
             WHERE email > :after
               AND EXISTS (SELECT 1 FROM group_member m WHERE m.group_id = :group AND m.account_id = account.id)
             ORDER BY email LIMIT :limit
            """, ["group": .text(id), "after": .text(after), "limit": .integer(Int64(limit))]
        ).map { try $0.text("email") }
    }

    /// The groups of an account, sorted.
    package static func groups(of account: String, _ connection: any SQLConnection) throws -> [String] {
        try connection.query(
            "SELECT group_id FROM group_member WHERE account_id = :account ORDER BY group_id",
            ["account": .text(account)]
        ).map { try $0.text("group_id") }
    }

    private static let columns =
        "g.id, g.created_at, (SELECT COUNT(*) FROM group_member m WHERE m.group_id = g.id) AS members"

    // MARK: Changing

    /// - Returns: whether there was no such group.
    package static func add(_ id: String, at now: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "INSERT INTO user_group (id, created_at) VALUES (:group, :now) ON CONFLICT (id) DO NOTHING",
            ["group": .text(id), "now": .timestamp(now)]) > 0
    }

    /// Removes a group with its memberships, so that a group that is made later under the same name is empty.
    package static func remove(_ id: String, _ connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM group_member WHERE group_id = :group", ["group": .text(id)])
        try connection.execute("DELETE FROM user_group WHERE id = :group", ["group": .text(id)])
    }

    /// - Returns: whether the account was not a member.
    package static func join(
        _ id: String, account: String, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO group_member (account_id, group_id, joined_at) VALUES (:account, :group, :now)
                ON CONFLICT (account_id, group_id) DO NOTHING
            """, ["account": .text(account), "group": .text(id), "now": .timestamp(now)]) > 0
    }

    /// - Returns: whether the account was a member.
    package static func leave(_ id: String, account: String, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "DELETE FROM group_member WHERE account_id = :account AND group_id = :group",
            ["account": .text(account), "group": .text(id)]) > 0
    }
}

extension UserGroup {
    fileprivate init(_ row: SQLRow) throws {
        self.init(
            id: try row.text("id"), createdAt: try row.timestamp("created_at"),
            memberCount: Int(try row.integer("members")))
    }
}
