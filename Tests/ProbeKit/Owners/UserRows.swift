package import SSOWeb
import Storage

package enum InvitationTable: StoredTable { package static let name = "invitation" }
package enum GroupMemberTable: StoredTable { package static let name = "group_member" }
package enum ProfileTable: StoredTable { package static let name = "account_profile" }
package enum NodeTable: StoredTable { package static let name = "node" }

extension StoredRows {
    package var invitations: TableRows<InvitationTable> { rows() }
    /// Who is in which group.
    package var memberships: TableRows<GroupMemberTable> { rows() }
    package var profiles: TableRows<ProfileTable> { rows() }
    /// The processes that share a database of PostgreSQL.
    package var nodes: TableRows<NodeTable> { rows() }
}

extension TableRows where Table == InvitationTable {
    package func keyDigests() async throws -> [[UInt8]] {
        try await rows("key_digest").map { try $0.blob("key_digest") }
    }

    /// Adds invitations of one account that end at once.
    package func add(_ count: Int, at moment: Timestamp) async throws {
        try await insert(
            (0..<count).map { number in
                [
                    "id": .text("i\(number)"), "account_id": .text("usr"),
                    "key_digest": .blob(
                        [UInt8](repeating: 0, count: 30) + [UInt8(number / 256), UInt8(number % 256)]),
                    "language": .text("en"), "created_at": .timestamp(moment), "expires_at": .timestamp(moment),
                ]
            })
    }
}

extension TableRows where Table == GroupMemberTable {
    package func of(account: String) -> Self { with("account_id = \(quoted(account))") }

    /// The account and the group of each.
    package func summaries() async throws -> [String] { try await texts("account_id || ' ' || group_id") }

    /// - Parameter members: accounts with their groups.
    package func add(_ members: [(account: String, group: String)]) async throws {
        try await insert(
            members.map { member in
                [
                    "account_id": .text(member.account), "group_id": .text(member.group), "joined_at": .integer(1),
                ]
            })
    }
}

extension TableRows where Table == ProfileTable {
    package var withPicture: Self { with("picture IS NOT NULL") }
}

extension TableRows where Table == NodeTable {
    /// As if their last heartbeat had come so much earlier.
    package func age(by span: Duration) async throws {
        try await set("heartbeat_at = heartbeat_at - \(span.milliseconds)")
    }
}
