public import SSOShared

/// A statement as the client answers it: one relation between two assets.
public struct AssetLink: Sendable {
    public let source: LinkedAsset
    /// `kind/detail`.
    public let relation: String
    public let target: LinkedAsset
    /// The object that stands in `relation_extensions` under the relation; `nil` without one.
    public let extensions: JSONNode?

    /// What makes two statements the same.
    struct Identity: Hashable {
        let source: LinkedAsset
        let relation: String
        let target: LinkedAsset
    }
    var identity: Identity { Identity(source: source, relation: relation, target: target) }

    func json(withExtensions: Bool) -> AssociationJSON {
        var members: [(String, AssociationJSON)] = [
            ("source", source.json), ("relation", .string(relation)), ("target", target.json),
        ]
        if withExtensions, let extensions {
            members.append(("relation_extensions", .object([(relation, .node(extensions))])))
        }
        return .object(members)
    }
}
