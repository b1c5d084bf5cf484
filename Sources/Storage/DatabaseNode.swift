/// One process of several on a database, as it shows itself to the others.
///
/// What must be equal is shown by fingerprints, so that the table says nothing that the others do not know.
public struct DatabaseNode: Sendable, Equatable {
    /// Random, new at each start.
    public let id: String
    public let version: String
    /// The fingerprint of the public address.
    public let publicURL: String
    /// The fingerprints of its keys, the first one seals.
    public let keys: [String]
    /// The fingerprints of files and values that should be equal, by the setting that names them.
    public let files: [String: String]

    public init(id: String, version: String, publicURL: String, keys: [String], files: [String: String]) {
        (self.id, self.version, self.publicURL, self.keys, self.files) = (id, version, publicURL, keys, files)
    }

    /// Why two nodes cannot work on one database.
    public enum Conflict: Sendable, Equatable {
        /// Links and cookies of one would be of no use at the other.
        case publicURL
        /// What one seals the other cannot open.
        case keys
    }

    /// Why this node cannot work beside another one; nil when it can.
    public func conflict(with other: DatabaseNode) -> Conflict? {
        if publicURL != other.publicURL { return .publicURL }
        return keys.contains { other.keys.contains($0) } ? nil : .keys
    }

    /// The settings whose files or values differ from those of another node.
    public func differences(from other: DatabaseNode) -> [String] {
        Set(files.keys).union(other.files.keys).filter { files[$0] != other.files[$0] }.sorted()
    }
}

/// A database on which several processes see one another.
public protocol NodeDatabase: Database {
    /// Adds this process to the nodes.
    ///
    /// - Returns: what it learns, or a live node beside which it cannot work, with the reason. Nothing is added then.
    func join(_ node: DatabaseNode) async throws -> Result<NodeReport, NodeConflict>

    /// The live node beside which a process could not work; nil if it could work beside all. Changes nothing.
    func conflict(with node: DatabaseNode) async throws -> NodeConflict?

    /// The nodes that have had a heartbeat within the last ten seconds. Changes nothing.
    func liveNodes() async throws -> [DatabaseNode]

    /// The names of the standby that commits wait for and that is away; nil where they wait for none. Changes nothing.
    func missingStandby() async throws -> String?

    /// Writes the heartbeat of this process.
    func beat(_ node: DatabaseNode) async throws -> NodeReport

    /// Removes this process from the nodes.
    func leave(_ node: DatabaseNode) async throws
}

/// A live node beside which this process cannot work.
public struct NodeConflict: Error, Sendable {
    public let other: DatabaseNode
    public let cause: DatabaseNode.Conflict

    package init(other: DatabaseNode, cause: DatabaseNode.Conflict) { (self.other, self.cause) = (other, cause) }
}

/// What a node learns at its heartbeat.
public struct NodeReport: Sendable {
    /// The time of the database, in milliseconds since 1970, while it wrote the heartbeat.
    public let databaseTime: Int64
    /// The other nodes that have had a heartbeat within the last ten seconds.
    public let others: [DatabaseNode]

    package init(databaseTime: Int64, others: [DatabaseNode]) {
        (self.databaseTime, self.others) = (databaseTime, others)
    }
}
