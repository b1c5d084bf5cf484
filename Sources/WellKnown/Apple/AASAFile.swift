public import SSOShared

/// An apple-app-site-association file as it was written, every part with its place.
///
/// Sources: Apple, "Supporting associated domains" and the pages on `applinks` below it; WWDC 2019 session 717 and WWDC
/// 2020 session 10098.
public struct AASAFile: Sendable {
    public let document: JSONDocument
    /// Every member of the root, in the order of the file.
    public let members: [JSONMember]

    /// Which links open which app.
    public let applinks: JSONField<AppLinks>
    /// Which apps may use the passwords and passkeys of the site.
    public let webcredentials: JSONField<AppsService>
    /// Which App Clips the site's links may start.
    public let appclips: JSONField<AppsService>
    /// Which apps may go on with what was begun on the site (Handoff).
    public let activitycontinuation: JSONField<AppsService>
    /// Which apps may answer sign-in requests (Extensible SSO).
    public let authsrv: JSONField<AppsService>

    /// The keys above.
    public static let services = ["applinks", "webcredentials", "appclips", "activitycontinuation", "authsrv"]

    /// - Returns: `nil` when the document has no root or its root is not an object.
    public init?(_ document: JSONDocument) {
        guard let members = document.root?.object else { return nil }
        self.document = document
        self.members = members
        applinks = JSONField("applinks", in: members, as: AppLinks.init)
        webcredentials = JSONField("webcredentials", in: members, as: AppsService.init)
        appclips = JSONField("appclips", in: members, as: AppsService.init)
        activitycontinuation = JSONField("activitycontinuation", in: members, as: AppsService.init)
        authsrv = JSONField("authsrv", in: members, as: AppsService.init)
    }

    public init?(reading body: some Sequence<UInt8>) { self.init(JSONReader.read(body)) }

    /// Members of the root that no system knows, ignored in silence.
    public var unknownMembers: [JSONMember] { members.unknown(besides: Self.services) }
}

/// A service that takes a plain list of apps.
public struct AppsService: Sendable {
    public let node: JSONNode
    /// The elements as written: an element may be of the wrong type, or no app id.
    public let apps: JSONField<[JSONNode]>
    public let unknownMembers: [JSONMember]

    init?(_ node: JSONNode) {
        guard let members = node.object else { return nil }
        self.node = node
        apps = JSONField("apps", in: members, as: \.array)
        unknownMembers = members.unknown(besides: ["apps"])
    }

    /// The elements that are strings.
    public var appIDs: [String] { apps.value?.compactMap(\.string) ?? [] }
}

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

/// One element of `components`.
public struct AppLinksComponent: Sendable {
    public let node: JSONNode
    /// `nil` if the element is not an object.
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
