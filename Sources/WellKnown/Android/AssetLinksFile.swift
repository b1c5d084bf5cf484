public import SSOShared

/// A parsed assetlinks.json file. Every part has its position.
///
/// Sources: the Digital Asset Links specification (github.com/google/digitalassetlinks, well-known/details.md); Google,
/// "Verify Android App Links" and "Dynamic App Links".
public struct AssetLinksFile: Sendable {
    public let document: JSONDocument
    /// The elements of the root. They include elements that are not objects.
    public let statements: [AssetStatement]

    /// - Returns: `nil` if the document has no root or its root is not an array.
    public init?(_ document: JSONDocument) {
        guard let items = document.root?.array else { return nil }
        self.document = document
        statements = items.map(AssetStatement.init)
    }

    public init?(reading body: some Sequence<UInt8>) { self.init(JSONReader.read(body)) }
}

/// One element of the list: a relation and its target, or an `include`.
public struct AssetStatement: Sendable {
    public let node: JSONNode
    /// False if the element is not an object. All fields are then absent.
    public var isObject: Bool { node.object != nil }
    /// The elements as written.
    public let relation: JSONField<[JSONNode]>
    public let target: JSONField<AssetTarget>
    /// The URL of another list. The statements of that list count as statements of this list.
    public let include: JSONField<String>
    public let relationExtensions: JSONField<[RelationExtension]>
    public let unknownMembers: [JSONMember]

    public static let keys = ["relation", "target", "include", "relation_extensions"]

    init(_ node: JSONNode) {
        let members = node.object ?? []
        self.node = node
        relation = JSONField("relation", in: members, as: \.array)
        target = JSONField("target", in: members, as: AssetTarget.init)
        include = JSONField("include", in: members, as: \.string)
        relationExtensions = JSONField("relation_extensions", in: members) { $0.object?.map(RelationExtension.init) }
        unknownMembers = members.unknown(besides: Self.keys)
    }

    /// The relations that are strings.
    public var relations: [String] { relation.value?.compactMap(\.string) ?? [] }
}

/// The site or app that a statement is about.
public struct AssetTarget: Sendable {
    public let node: JSONNode
    /// `web` or `android_app`. Only the specification also has `ios_app`.
    public let namespace: JSONField<String>
    /// For `web`: scheme, host and port.
    public let site: JSONField<String>
    /// For `android_app`: the package name.
    public let packageName: JSONField<String>
    /// For `android_app`: the elements as written.
    public let fingerprints: JSONField<[JSONNode]>
    /// For `ios_app`: the app id.
    public let appID: JSONField<String>
    public let unknownMembers: [JSONMember]

    public static let keys = ["namespace", "site", "package_name", "sha256_cert_fingerprints", "appid"]

    init?(_ node: JSONNode) {
        guard let members = node.object else { return nil }
        self.node = node
        namespace = JSONField("namespace", in: members, as: \.string)
        site = JSONField("site", in: members, as: \.string)
        packageName = JSONField("package_name", in: members, as: \.string)
        fingerprints = JSONField("sha256_cert_fingerprints", in: members, as: \.array)
        appID = JSONField("appid", in: members, as: \.string)
        unknownMembers = members.unknown(besides: Self.keys)
    }
}

/// One member of `relation_extensions`: the name of a relation and rules that narrow it.
///
/// Source: Google, "Dynamic App Links" (Android 15 and later, devices with Google services).
public struct RelationExtension: Sendable {
    public let member: JSONMember
    public var relation: String { member.key }
    /// The rules. Only `delegate_permission/common.handle_all_urls` has them.
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

/// One rule of `dynamic_app_link_components`. It resembles Apple's component, but most details differ.
public struct DynamicComponent: Sendable {
    public let node: JSONNode
    /// False if the element is not an object. All fields are then absent.
    public var isObject: Bool { node.object != nil }
    public let path: JSONField<String>
    /// Names and patterns of query items. The format does not allow a string here.
    public let query: JSONField<[(name: String, pattern: String, member: JSONMember)]>
    public let fragment: JSONField<String>
    public let exclude: JSONField<Bool>
    public let unknownMembers: [JSONMember]

    public static let keys = ["/", "?", "#", "exclude"]

    public init(_ node: JSONNode) {
        let members = node.object ?? []
        self.node = node
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
