public import SSOShared

/// The `applinks` service: rules by app, in the order in which the system tries them.
public struct AppLinks: Sendable {
    public let node: JSONNode
    /// Must be there and empty for iOS 12 and older; ignored since.
    public let apps: JSONField<[JSONNode]>
    public let details: JSONField<AppLinksDetails>
    public let defaults: JSONField<ComponentFields>
    public let substitutionVariables: JSONField<[SubstitutionVariable]>
    public let unknownMembers: [JSONMember]

    init?(_ node: JSONNode) {
        guard let members = node.object else { return nil }
        self.node = node
        apps = JSONField("apps", in: members, as: \.array)
        details = JSONField("details", in: members, as: AppLinksDetails.init)
        defaults = JSONField("defaults", in: members, as: ComponentFields.init)
        substitutionVariables = JSONField("substitutionVariables", in: members) { node in
            node.object?.map(SubstitutionVariable.init)
        }
        unknownMembers = members.unknown(besides: ["apps", "details", "defaults", "substitutionVariables"])
    }

    /// The entries, in file order, whichever form `details` has.
    public var entries: [AppLinksEntry] { details.value?.entries ?? [] }
}

/// `details` in either of its forms.
public struct AppLinksDetails: Sendable {
    public enum Form: Sendable {
        case list
        /// `{"APPID": {"paths": […]}}`: obsolete since 2017, still understood.
        case dictionary
    }

    public let form: Form
    public let entries: [AppLinksEntry]
    /// Elements that are no objects.
    public let strays: [JSONNode]

    init?(_ node: JSONNode) {
        switch node.value {
        case .array(let items):
            form = .list
            entries = items.compactMap { AppLinksEntry($0) }
            strays = items.filter { $0.object == nil }
        case .object(let members):
            form = .dictionary
            entries = members.compactMap { AppLinksEntry($0.value, keyedBy: $0) }
            strays = members.map(\.value).filter { $0.object == nil }
        default: return nil
        }
    }
}

/// One element of `details`: apps and their rules.
public struct AppLinksEntry: Sendable {
    public let node: JSONNode
    /// In the dictionary form of `details`, the key that names the app.
    public let key: JSONMember?
    /// The elements as written.
    public let appIDs: JSONField<[JSONNode]>
    public let appID: JSONField<String>
    public let components: JSONField<[AppLinksComponent]>
    /// The elements of the legacy form as written: `/path` or `NOT /path`.
    public let paths: JSONField<[JSONNode]>
    public let defaults: JSONField<ComponentFields>
    public let unknownMembers: [JSONMember]

    init?(_ node: JSONNode, keyedBy key: JSONMember? = nil) {
        guard let members = node.object else { return nil }
        self.node = node
        self.key = key
        appIDs = JSONField("appIDs", in: members, as: \.array)
        appID = JSONField("appID", in: members, as: \.string)
        components = JSONField("components", in: members) { $0.array?.map(AppLinksComponent.init) }
        paths = JSONField("paths", in: members, as: \.array)
        defaults = JSONField("defaults", in: members, as: ComponentFields.init)
        unknownMembers = members.unknown(besides: ["appIDs", "appID", "components", "paths", "defaults"])
    }

    /// The apps the rules belong to: `appIDs` wins over `appID`, also when it is empty (seen on Apple's own matcher).
    public var apps: [String] {
        if let key { return [key.key] }
        if let list = appIDs.value { return list.compactMap(\.string) }
        return appID.value.map { [$0] } ?? []
    }
}

/// A variable of `substitutionVariables`: `$(name)` in a pattern stands for any of its values.
public struct SubstitutionVariable: Sendable {
    public let member: JSONMember
    public var name: String { member.key }
    /// `nil` unless the value is an array of strings.
    public let values: [String]?

    init(_ member: JSONMember) {
        self.member = member
        let strings = member.value.array?.map(\.string)
        values = strings.flatMap { $0.contains { $0 == nil } ? nil : $0.compactMap { $0 } }
    }
}
