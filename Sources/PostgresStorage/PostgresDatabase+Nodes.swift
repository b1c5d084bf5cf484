public import Storage

/// The processes of one deployment, and what an operator wants to know of their database.
extension PostgresDatabase: NodeDatabase {
    public func join(
        _ node: DatabaseNode
    ) async throws -> Result<NodeReport, NodeConflict> {
        do {
            return .success(
                try await write { connection in
                    if let conflict = try Self.conflict(with: node, connection) { throw conflict }
                    return try NodeTable.join(node, connection)
                })
        } catch let conflict as NodeConflict {
            return .failure(conflict)
        }
    }

    public func conflict(with node: DatabaseNode) async throws -> NodeConflict? {
        try await read { try NodeTable.exists($0) ? Self.conflict(with: node, $0) : nil }
    }

    private static func conflict(
        with node: DatabaseNode, _ connection: any SQLConnection
    ) throws(DatabaseError) -> NodeConflict? {
        for other in try NodeTable.others(than: node, connection) {
            if let cause = node.conflict(with: other) { return NodeConflict(other: other, cause: cause) }
        }
        return nil
    }

    public func liveNodes() async throws -> [DatabaseNode] {
        try await read { try NodeTable.exists($0) ? NodeTable.all($0) : [] }
            .filter { $0.silence <= NodeTable.lifetimeMilliseconds }.map(\.node)
    }

    public func missingStandby() async throws -> String? {
        try await read { try $0.query(PostgresSession.standbyWait).first?.optionalText("names") }
    }

    public func beat(_ node: DatabaseNode) async throws -> NodeReport {
        try await write { try NodeTable.beat(node, $0) ?? NodeTable.join(node, $0) }
    }

    public func leave(_ node: DatabaseNode) async throws { try await write { try NodeTable.leave(node, $0) } }

    /// The server and the nodes as they are now.
    public func status() async throws -> PostgresStatus {
        try await read { connection in
            let row = try connection.query(
                """
                SELECT current_setting('server_version') AS version,
                       ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint AS timeline,
                       current_setting('synchronous_standby_names') AS standbys,
                       COALESCE(host(inet_server_addr()), 'a local socket') AS place, inet_server_port()::bigint AS port
                """)[0]
            let port = try row.optionalInteger("port").map { ":\($0)" } ?? ""
            return PostgresStatus(
                version: try row.text("version"), primary: try row.text("place") + port,
                timeline: try row.integer("timeline"), standbys: try row.text("standbys"),
                nodes: try NodeTable.all(connection).map { node, startedAt, silence in
                    PostgresStatus.Node(
                        node: node, startedAt: startedAt, silence: .milliseconds(silence),
                        isAlive: silence <= NodeTable.lifetimeMilliseconds)
                })
        }
    }
}

/// A server and the nodes on one of its databases.
public struct PostgresStatus: Sendable {
    public struct Node: Sendable {
        public let node: DatabaseNode
        /// Milliseconds since 1970.
        public let startedAt: Int64
        /// Since the last heartbeat.
        public let silence: Duration
        public let isAlive: Bool
    }

    public let version, primary: String
    public let timeline: Int64
    /// `synchronous_standby_names`: empty where commits wait for no standby.
    public let standbys: String
    /// In the order of their starts.
    public let nodes: [Node]
}
