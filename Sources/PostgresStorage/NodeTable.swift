import Storage

/// The table `node`: the processes that work on the database. Owned by this engine: a file has the processes of one machine, which
/// see one clock and one disk.
enum NodeTable {
    static let schema = """
        CREATE TABLE IF NOT EXISTS node (
            id TEXT NOT NULL PRIMARY KEY, version TEXT NOT NULL, started_at BIGINT NOT NULL, heartbeat_at BIGINT NOT NULL,
            public_url TEXT NOT NULL, keys TEXT NOT NULL, files TEXT NOT NULL)
        """

    /// Milliseconds by the database's clock, while the statement runs.
    private static let now = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
    /// A node is gone after five heartbeats.
    static let lifetimeMilliseconds: Int64 = 10_000

    /// Writes the heartbeat of a node, and reads the others.
    ///
    /// - Returns: nil for a node that is not there: it has to join first.
    static func beat(_ node: DatabaseNode, _ connection: any SQLConnection) throws(DatabaseError) -> NodeReport? {
        let rows = try connection.query(
            """
            UPDATE node SET heartbeat_at = \(now), keys = :keys, files = :files WHERE id = :id RETURNING heartbeat_at
            """, ["id": .text(node.id), "keys": .text(node.keyList), "files": .text(node.fileList)])
        guard let row = rows.first else { return nil }
        return NodeReport(databaseTime: try row.integer("heartbeat_at"), others: try others(than: node, connection))
    }

    /// Adds a node, and forgets those that are long gone.
    static func join(_ node: DatabaseNode, _ connection: any SQLConnection) throws(DatabaseError) -> NodeReport {
        try connection.execute("DELETE FROM node WHERE heartbeat_at < \(now) - 86400000")
        let rows = try connection.query(
            """
            INSERT INTO node (id, version, started_at, heartbeat_at, public_url, keys, files)
            VALUES (:id, :version, \(now), \(now), :public_url, :keys, :files)
                ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at
            RETURNING heartbeat_at
            """,
            [
                "id": .text(node.id), "version": .text(node.version), "public_url": .text(node.publicURL),
                "keys": .text(node.keyList), "files": .text(node.fileList),
            ])
        guard let row = rows.first else { throw .misuse("the row of the node is missing") }
        return NodeReport(databaseTime: try row.integer("heartbeat_at"), others: try others(than: node, connection))
    }

    /// Removes a node that ends.
    static func leave(_ node: DatabaseNode, _ connection: any SQLConnection) throws(DatabaseError) {
        try connection.execute("DELETE FROM node WHERE id = :id", ["id": .text(node.id)])
    }

    /// Whether the schema has the table: no process has made one in a new database.
    static func exists(_ connection: any SQLConnection) throws(DatabaseError) -> Bool {
        try !connection.query(
            "SELECT 1 AS n FROM pg_class WHERE relname = 'node' AND relnamespace = current_schema()::text::regnamespace"
        ).isEmpty
    }

    /// The nodes that live, but for one.
    static func others(
        than node: DatabaseNode, _ connection: any SQLConnection
    ) throws(DatabaseError) -> [DatabaseNode] {
        let rows = try connection.query(
            """
            SELECT id, version, public_url, keys, files FROM node
             WHERE id <> :id AND heartbeat_at > \(now) - :lifetime ORDER BY started_at, id
            """, ["id": .text(node.id), "lifetime": .integer(lifetimeMilliseconds)])
        var nodes: [DatabaseNode] = []
        for row in rows { nodes.append(try DatabaseNode(row)) }
        return nodes
    }

    /// All nodes that have not left, with their ages in milliseconds.
    static func all(
        _ connection: any SQLConnection
    ) throws(DatabaseError) -> [(node: DatabaseNode, startedAt: Int64, silence: Int64)] {
        let rows = try connection.query("SELECT *, \(now) - heartbeat_at AS silence FROM node ORDER BY started_at, id")
        var nodes: [(node: DatabaseNode, startedAt: Int64, silence: Int64)] = []
        for row in rows {
            nodes.append((try DatabaseNode(row), try row.integer("started_at"), try row.integer("silence")))
        }
        return nodes
    }
}

extension DatabaseNode {
    fileprivate init(_ row: SQLRow) throws(DatabaseError) {
        var files: [String: String] = [:]
        for pair in try row.text("files").split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { files[String(parts[0])] = String(parts[1]) }
        }
        self.init(
            id: try row.text("id"), version: try row.text("version"), publicURL: try row.text("public_url"),
            keys: try row.text("keys").split(separator: ",").map(String.init), files: files)
    }

    fileprivate var keyList: String { keys.joined(separator: ",") }
    fileprivate var fileList: String {
        files.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }
}
