public import SSOShared

/// One member of `relation_extensions`: rules that narrow a relation, by its name.
///
/// Source: Google, "Dynamic App Links" (Android 15 and later, devices with Google services).
public struct RelationExtension: Sendable {
    public let member: JSONMember
    public var relation: String { member.key }
    /// Only `delegate_permission/common.handle_all_urls` has them.
    public let components: JSONField<[DynamicComponent]>
    public let unknownMembers: [JSONMember]

    static let componentsKey = "dynamic_app_link_components"

    init(_ member: JSONMember) {
        let members = member.value.object ?? []
        self.member = member
        components = JSONField("dynamic_app_link_components", in: members) { $0.array?.map(DynamicComponent.init) }
        unknownMembers = members.unknown(besides: [Self.componentsKey])
    }
}

/// One rule of `dynamic_app_link_components`. Looks like Apple's component and differs in nearly every edge.
public struct DynamicComponent: Sendable {
    public let node: JSONNode
    /// False when the element is no object; then everything is absent.
    public let isObject: Bool
    public let path: JSONField<String>
    /// Names and patterns; the schema has no string here.
    public let query: JSONField<[(name: String, pattern: String, member: JSONMember)]>
    public let fragment: JSONField<String>
    public let exclude: JSONField<Bool>
    public let unknownMembers: [JSONMember]

    public static let keys = ["/", "?", "#", "exclude"]

    public init(_ node: JSONNode) {
        let members = node.object ?? []
        self.node = node
        isObject = node.object != nil
        path = JSONField("/", in: members, as: \.string)
        query = JSONField("?", in: members) { node in
            guard case .items(let items) = QueryPattern(node) else { return nil }
            return items
        }
        fragment = JSONField("#", in: members, as: \.string)
        exclude = JSONField("exclude", in: members, as: \.bool)
        unknownMembers = members.unknown(besides: Self.keys)
    }
}
