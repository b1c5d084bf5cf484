package import Logging
import SSOWeb
package import Storage

/// A client of the file as the running IdP has registered it: what commands need to know of it, also those that do not read the
/// file.
package struct FileClient: Sendable, Equatable {
    package let id, name: String
    package let access: ClientAccess
    /// The groups that it is told of.
    package let exposed: [String]

    package init(_ client: Client) {
        (id, name, access) = (client.id, client.name, client.access == .unstated ? .everyone : client.access)
        exposed = client.exposedGroups ?? []
    }

    fileprivate init(_ row: SQLRow) throws {
        (id, name) = (try row.text("id"), try row.text("name"))
        access = try row.optionalText("allowed_groups").map { .groups(Self.list($0)) } ?? .everyone
        exposed = Self.list(try row.text("exposed_groups"))
    }

    private static func list(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    fileprivate var values: SQLArguments {
        // The id of a group has no space.
        let groups: String? = if case .groups(let groups) = access { groups.joined(separator: " ") } else { nil }
        return [
            "id": .text(id), "name": .text(name), "groups": .optional(groups),
            "exposed": .text(exposed.joined(separator: " ")),
        ]
    }
}

/// Owns the rows of `file_client`: the clients of `IDP_CLIENTS_FILE` and of the `SSO_…` settings, as a process has read them
/// last, at its start or at SIGHUP.
package enum FileClientStore {
    package static let schema = [
        """
        CREATE TABLE file_client (
            id TEXT PRIMARY KEY NOT NULL,
            name TEXT NOT NULL,
            allowed_groups TEXT,
            exposed_groups TEXT NOT NULL
        )
        """
    ]

    /// By id.
    package static func all(_ connection: any SQLConnection) throws -> [FileClient] {
        try connection.query("SELECT id, name, allowed_groups, exposed_groups FROM file_client ORDER BY id").map(
            FileClient.init)
    }

    package static func find(_ id: String, _ connection: any SQLConnection) throws -> FileClient? {
        try connection.query(
            "SELECT id, name, allowed_groups, exposed_groups FROM file_client WHERE id = :id", ["id": .text(id)]
        ).first.map(FileClient.init)
    }

    /// Takes over what a process has registered. Writes only where it differs. A failure is logged: only commands need the rows.
    package static func record(_ clients: [Client], in database: any Database, _ logger: Logger) async {
        let new = clients.filter { $0.origin != .database }.map(FileClient.init).sorted { $0.id < $1.id }
        do {
            guard try await database.read({ try all($0) }).sorted(by: { $0.id < $1.id }) != new else { return }
            try await database.write { try replace(with: new, $0) }
        } catch {
            logger.record(Event(.clientsNotRecorded, cause: "\(error)"))
        }
    }

    /// Two nodes that start at once may write the same rows.
    private static func replace(with new: [FileClient], _ connection: any SQLConnection) throws {
        let ids = Set(new.map(\.id))
        for client in try all(connection) where !ids.contains(client.id) {
            try connection.execute("DELETE FROM file_client WHERE id = :id", ["id": .text(client.id)])
        }
        for client in new {
            try connection.execute(
                """
                INSERT INTO file_client (id, name, allowed_groups, exposed_groups) VALUES (:id, :name, :groups, :exposed)
                    ON CONFLICT (id) DO UPDATE SET name = excluded.name, allowed_groups = excluded.allowed_groups,
                       exposed_groups = excluded.exposed_groups
                """, client.values)
        }
    }
}
