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

    /// - Returns: `nil` when the document has no root or its root is no object.
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
