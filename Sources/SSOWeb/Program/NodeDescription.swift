package import SSOShared
package import Storage

/// What the processes on one database should have in common, and what the settings are called that say so.
public struct NodeDescription: Sendable {
    private let publicURL: PublicOrigin
    private let publicURLSetting: String
    private let keys: DerivedKeys
    private let keysSetting: String
    private let version: String
    private let files: [String: String]
    private let settings: [String: String]

    /// - Parameters:
    ///   - publicURL: must be equal.
    ///   - keys: one must be common.
    ///   - version: of the program.
    ///   - files: the settings with the paths of files that should be equal.
    ///   - settings: the names of settings that should be equal. Of a secret the fingerprint counts, of a list its items.
    package init(
        _ values: SettingValues, publicURL: PublicURLSetting, keys: SecretSetting<DerivedKeys>, version: String,
        files: [Setting<String?>] = [], settings: [String]
    ) throws(SettingError) {
        (self.publicURL, publicURLSetting) = (try values[publicURL], publicURL.name)
        (self.keys, keysSetting) = (try values[keys], keys.name)
        self.version = version
        var paths: [String: String] = [:]
        for file in files { paths[file.name] = try values[file] }
        self.files = paths
        var prints: [String: String] = [:]
        for name in settings {
            let shown = values.lines.first { $0.name == name }?.shown ?? ""
            let items = shown.split { $0 == "," || $0.isWhitespace }.sorted()
            prints[name] = Self.fingerprint(Array(items.joined(separator: ",").utf8))
        }
        self.settings = prints
    }

    /// This process for the others. Reads the files again at each call.
    func node(_ id: String) -> DatabaseNode {
        DatabaseNode(
            id: id, version: version, publicURL: Self.fingerprint(Array(publicURL.text.utf8)), keys: keys.fingerprints,
            files: files.mapValues { path in
                BoundedFile.read(path, upTo: 1 << 20).map(Self.fingerprint) ?? "unreadable"
            }.merging(settings) { $1 })
    }

    /// Why a start would be refused beside the nodes that are running on a database; nil if it would not be. Changes nothing.
    package func refusal(at database: any Database) async throws -> SettingError? {
        try await (database as? any NodeDatabase)?.conflict(with: node("check")).map(error)
    }

    /// What an operator should know of the live nodes on a database before a start with these settings: what a node seals with its
    /// first key, every other node must be able to open. Changes nothing.
    func warnings(at database: any Database) async throws -> [String] {
        let (own, nodes) = (node("check"), try await (database as? any NodeDatabase)?.liveNodes() ?? [])
        return nodes.flatMap { node in
            differences(own, from: node).map { name in
                guard name == keysSetting else {
                    return
                        "\(name): the node \(node.id) has another one. Give all nodes the same, see docs/postgresql.md."
                }
                return """
                    \(keysSetting): the node \(node.id) has the keys \(node.keys.joined(separator: ",")), and this one \
                    \(keys.fingerprints.joined(separator: ",")). A new key needs two rounds: OLD,NEW on every node, and then \
                    NEW,OLD on every node.
                    """
            }
        }
    }

    /// The settings in which two nodes differ, by name.
    func differences(_ node: DatabaseNode, from other: DatabaseNode) -> [String] {
        // A node of an older version says nothing of a setting. One without a file has no such file.
        let found = node.differences(from: other).filter {
            settings[$0] == nil || node.files[$0] != nil && other.files[$0] != nil
        }
        return (found + (node.keys == other.keys ? [] : [keysSetting])).sorted()
    }

    /// Why this process cannot work beside a live node, for the operator.
    func error(_ conflict: NodeConflict) -> SettingError {
        let node = "a node that is running (\(conflict.other.id), version \(conflict.other.version))"
        return switch conflict.cause {
        case .publicURL:
            SettingError(
                "\(publicURLSetting): \(node) has another one on this database. All nodes have the same public address."
            )
        case .keys:
            SettingError(
                "\(keysSetting): \(node) shares no key with this one. Give all nodes the same list of keys, for example NEW,OLD."
            )
        }
    }

    private static func fingerprint(_ bytes: [UInt8]) -> String { Hex.encode(SHA256.hash(bytes).prefix(8)) }
}
