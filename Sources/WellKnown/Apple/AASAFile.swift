public import SSOShared

/// A parsed apple-app-site-association file. Every part has its position.
///
/// Sources: Apple, "Supporting associated domains", `applinks` and below; WWDC 2019 session 717, 2020 session 10098.
public struct AASAFile: Sendable {
    public let document: JSONDocument
    /// All members of the root, in the order of the file.
    public let members: [JSONMember]

    /// The rules for universal links.
    public let applinks: JSONField<AppLinks>
    /// The apps that may use the passwords and passkeys of the site.
    public let webcredentials: JSONField<AppsService>
    /// The App Clips that the site's links may start.
    public let appclips: JSONField<AppsService>
    /// The apps that may continue an activity from the site (Handoff).
    public let activitycontinuation: JSONField<AppsService>
    /// The apps that may answer sign-in requests (Extensible SSO).
    public let authsrv: JSONField<AppsService>

    public static let services = ["applinks", "webcredentials", "appclips", "activitycontinuation", "authsrv"]

    /// - Returns: `nil` if the document has no root or its root is not an object.
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

    /// The services that have a plain list of apps, by their names.
    var appServices: [(name: String, field: JSONField<AppsService>)] {
        [
            ("webcredentials", webcredentials), ("appclips", appclips), ("activitycontinuation", activitycontinuation),
            ("authsrv", authsrv),
        ]
    }

    /// The apps of a service, in the order of the file.
    package func apps(of service: String) -> [String] {
        if service == "applinks" { return applinks.value?.entries.flatMap(\.apps) ?? [] }
        return appServices.first { $0.name == service }?.field.value?.appIDs ?? []
    }

    /// Members of the root that no system knows. Systems ignore them silently.
    public var unknownMembers: [JSONMember] { members.unknown(besides: Self.services) }
}

/// A service that has a plain list of apps.
public struct AppsService: Sendable {
    public let node: JSONNode
    /// The elements as written. An element may have the wrong type, or not be an app id.
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

/// The `applinks` service: rules per app, in the order in which the system tries them.
public struct AppLinks: Sendable {
    public let node: JSONNode
    /// For iOS 12 and older, the member must be present and empty. Later systems ignore it.
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

    /// The entries in the order of the file, for both forms of `details`.
    public var entries: [AppLinksEntry] { details.value?.entries ?? [] }
}

/// `details` in one of its two forms.
public struct AppLinksDetails: Sendable {
    public enum Form: Sendable {
        case list
        /// `{"APPID": {"paths": […]}}`: obsolete since 2017, but still supported.
        case dictionary
    }

    public let form: Form
    public let entries: [AppLinksEntry]
    /// Elements that are not objects.
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
    /// The key that names the app, in the dictionary form of `details`.
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

    /// The apps of the rules. `appIDs` wins over `appID` even if it is empty, as observed on Apple's own matcher.
    public var apps: [String] {
        if let key { return [key.key] }
        if let list = appIDs.value { return list.compactMap(\.string) }
        return appID.value.map { [$0] } ?? []
    }
}

/// A variable of `substitutionVariables`. `$(name)` in a pattern matches any of its values.
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

/// The keys of a component. `defaults` has the same keys.
///
/// Source: Apple, "applinks.Details.Components". Apple's own matcher was observed to accept every key in `defaults`.
public struct ComponentFields: Sendable {
    public let node: JSONNode
    /// `/`: a pattern for the path. The default is `*`.
    public let path: JSONField<String>
    /// `?`: a pattern for the query, or patterns for its items. The default is `*`.
    public let query: JSONField<QueryPattern>
    /// `#`: a pattern for the fragment. The default is `*`.
    public let fragment: JSONField<String>
    public let exclude: JSONField<Bool>
    public let comment: JSONField<String>
    public let caseSensitive: JSONField<Bool>
    public let percentEncoded: JSONField<Bool>
    /// Members that no system knows. Systems ignore them, so a misspelled key makes the rule wider than its text.
    public let unknownMembers: [JSONMember]

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
