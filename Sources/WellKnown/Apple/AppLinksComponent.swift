public import SSOShared

/// One element of `components`.
public struct AppLinksComponent: Sendable {
    public let node: JSONNode
    /// `nil` when the element is no object.
    public let fields: ComponentFields?

    init(_ node: JSONNode) {
        self.node = node
        fields = ComponentFields(node)
    }
}

/// The keys of a component; `defaults` has the same.
///
/// Source: Apple, "applinks.Details.Components"; that `defaults` takes every key was seen on Apple's own matcher.
public struct ComponentFields: Sendable {
    public let node: JSONNode
    /// `/`: a pattern of the path. Absent: `*`.
    public let path: JSONField<String>
    /// `?`: a pattern of the query, or patterns of its items. Absent: `*`.
    public let query: JSONField<QueryPattern>
    /// `#`: a pattern of the fragment. Absent: `*`.
    public let fragment: JSONField<String>
    public let exclude: JSONField<Bool>
    public let comment: JSONField<String>
    public let caseSensitive: JSONField<Bool>
    public let percentEncoded: JSONField<Bool>
    /// Ignored in silence, so that a misspelled key leaves the rule wider than it reads.
    public let unknownMembers: [JSONMember]

    /// The keys above.
    public static let keys = ["/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"]

    init?(_ node: JSONNode) {
        guard let members = node.object else { return nil }
        self.node = node
        path = JSONField("/", in: members, as: \.string)
        query = JSONField("?", in: members, as: QueryPattern.init)
        fragment = JSONField("#", in: members, as: \.string)
        exclude = JSONField("exclude", in: members, as: \.bool)
        comment = JSONField("comment", in: members, as: \.string)
        caseSensitive = JSONField("caseSensitive", in: members, as: \.bool)
        percentEncoded = JSONField("percentEncoded", in: members, as: \.bool)
        unknownMembers = members.unknown(besides: Self.keys)
    }
}
