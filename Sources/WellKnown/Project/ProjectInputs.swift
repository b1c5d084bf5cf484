public import SSOShared

/// One value of the entitlement `com.apple.developer.associated-domains`: `service:host[?mode=…]`.
///
/// Source: Apple, "Associated Domains Entitlement".
public struct AssociatedDomain: Sendable, Hashable {
    /// The value as written in the entitlement.
    public let raw: String
    /// The text before the first colon: `applinks`, `webcredentials`, `appclips`, `activitycontinuation`, `authsrv`.
    /// Empty without a colon.
    public let service: String
    /// The text between the colon and the first `?`, as written. It may begin with `*.`.
    public let host: String
    /// The value of `mode`: `developer`, `managed` or `developer+managed`. `nil` without a mode.
    public let mode: String?
    /// The place of the value in the entitlements, if it is known.
    public let position: SourcePosition?

    /// Whether the build still has to fill in a part.
    public var isUnfilled: Bool { BuildPlaceholder.isIn(raw) }

    /// Whether the value may be one of this service, as far as the build's placeholders let it be known.
    public func mayBe(_ service: String) -> Bool {
        guard isUnfilled else { return self.service == service }
        let known = AssociatedDomain(BuildPlaceholder.neutral(raw)).service
        return known == service || known.isEmpty || known.contains(BuildPlaceholder.neutralWord)
    }

    /// Splits any text. ``ProjectLint`` reports its errors.
    public init(_ raw: String, at position: SourcePosition? = nil) {
        self.raw = raw
        self.position = position
        let bytes = Array(raw.utf8)
        let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        service = String(decoding: bytes[..<(colon ?? 0)], as: UTF8.self)
        let rest = bytes[(colon.map { $0 + 1 } ?? 0)...]
        let parts = rest.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        host = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let items = parts.dropFirst().first?.split(separator: UInt8(ascii: "&")) ?? []
        mode = items.first { $0.starts(with: "mode=".utf8) }
            .map { String(decoding: $0.dropFirst("mode=".utf8.count), as: UTF8.self) }
    }
}

/// An `<intent-filter>` of an Android manifest. Its `<data>` elements are combined as on Android: every scheme applies
/// to every host and every path.
///
/// Sources: Android, "`<data>` element" and "Verify Android App Links".
public struct IntentFilter: Sendable, Hashable {
    /// The name of the filter's activity, as in the manifest.
    public var activity: String?
    /// Whether the filter has `android:autoVerify="true"`.
    public var autoVerify: Bool
    /// Full names, for example `android.intent.action.VIEW`.
    public var actions: [String]
    /// Full names, for example `android.intent.category.BROWSABLE`.
    public var categories: [String]
    /// The schemes as written. Android compares them exactly, so `HTTPS` is a different scheme.
    public var schemes: [String]
    public var hosts: [ManifestHost]
    /// A link must match one of the paths. An empty list matches every path.
    public var paths: [ManifestPath]
    /// The `<data>` elements as written, for checks of what is written together. Matching uses the lists above.
    public var data: [ManifestData]
    /// The `<uri-relative-filter-group>` elements, in order. Android 15 and later read them.
    public var groups: [RelativeFilterGroup] = []
    /// `android:order`: of several matching filters of an app, the one with the highest number is used (Android 9).
    public var order = 0
    /// The types of `android:mimeType`. A link has no type, so it matches no filter with one.
    public var types: [String] = []
    /// `android:exported` of the activity. `nil` if it is not written.
    public var isExported: Bool?
    /// Whether the activity or the application is disabled.
    public var isDisabled = false
    /// What decides whether the filter counts at all, such as `android:enabled="@bool/links"`. Else it is as if it did.
    public var conditions: [String] = []
    public var position: SourcePosition?

    public init(
        activity: String? = nil, autoVerify: Bool = false, actions: [String] = [], categories: [String] = [],
        schemes: [String] = [], hosts: [ManifestHost] = [], paths: [ManifestPath] = [], data: [ManifestData] = [],
        position: SourcePosition? = nil
    ) {
        self.activity = activity
        self.autoVerify = autoVerify
        self.actions = actions
        self.categories = categories
        self.schemes = schemes
        self.hosts = hosts
        self.paths = paths
        self.data = data
        self.position = position
    }

    /// Adds a `<data>` element, and its parts to the lists that are combined.
    package mutating func add(_ item: ManifestData, type: String?) {
        types += [type].compactMap(\.self)
        schemes += [item.scheme].compactMap(\.self)
        hosts += [item.host].compactMap(\.self)
        paths += item.paths
        data.append(item)
    }
}

/// One `<data>` element of an intent filter.
public struct ManifestData: Sendable, Hashable {
    public var scheme: String?
    public var host: ManifestHost?
    public var paths: [ManifestPath]
    public var position: SourcePosition?

    public init(
        scheme: String? = nil, host: ManifestHost? = nil, paths: [ManifestPath] = [], position: SourcePosition? = nil
    ) {
        self.scheme = scheme
        self.host = host
        self.paths = paths
        self.position = position
    }
}

/// A `<uri-relative-filter-group>` element: conditions that must all hold. Of several groups, the first one whose
/// conditions hold decides.
///
/// Sources: Android, "`<uri-relative-filter-group>`"; AOSP, `UriRelativeFilterGroup`.
public struct RelativeFilterGroup: Sendable, Hashable {
    /// The part of a URL that a condition is about.
    public enum Part: String, Sendable, Hashable, CaseIterable { case path, query, fragment }

    public struct Condition: Sendable, Hashable {
        public var part: Part
        /// The kind and the text of the pattern. The kind `pathPrefix` also stands for `queryPrefix` and so on.
        public var pattern: ManifestPath

        public init(_ part: Part, _ pattern: ManifestPath) { (self.part, self.pattern) = (part, pattern) }
    }

    /// `android:allow`: whether links that match open the activity.
    public var isAllowed: Bool
    public var conditions: [Condition]
    public var position: SourcePosition?

    public init(isAllowed: Bool = true, conditions: [Condition], position: SourcePosition? = nil) {
        self.isAllowed = isAllowed
        self.conditions = conditions
        self.position = position
    }
}

/// `android:host` and `android:port` of one `<data>` element.
public struct ManifestHost: Sendable, Hashable {
    /// The host as written. It may begin with `*`.
    public var name: String
    /// The port as written, or `nil` without a port.
    public var port: String?
    public var position: SourcePosition?

    public init(_ name: String, port: String? = nil, position: SourcePosition? = nil) {
        self.name = name
        self.port = port
        self.position = position
    }
}

/// One path attribute of a `<data>` element.
public struct ManifestPath: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// `android:path`: the path is equal.
        case path
        /// `android:pathPrefix`: the path begins with the text.
        case pathPrefix
        /// `android:pathSuffix`: the path ends with the text (Android 12).
        case pathSuffix
        /// `android:pathPattern`: the glob of `PatternMatcher`. `.*` is any text, `*` repeats the character before it.
        case pathPattern
        /// `android:pathAdvancedPattern`: a limited regular expression (Android 12).
        case pathAdvancedPattern
    }

    public var kind: Kind
    /// The text after the manifest's escapes are decoded.
    public var text: String
    public var position: SourcePosition?

    public init(_ kind: Kind, _ text: String, position: SourcePosition? = nil) {
        self.kind = kind
        self.text = text
        self.position = position
    }
}
