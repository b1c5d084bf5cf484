public import SSOShared

/// One value of the entitlement `com.apple.developer.associated-domains`: `service:host[?mode=…]`.
///
/// Source: Apple, "Associated Domains Entitlement".
public struct AssociatedDomain: Sendable, Hashable {
    /// As written in the entitlement.
    public let raw: String
    /// What is before the first colon: `applinks`, `webcredentials`, `appclips`, `activitycontinuation`, `authsrv`.
    /// Empty without a colon.
    public let service: String
    /// What is between the colon and the first `?`, as written; may begin with `*.`.
    public let host: String
    /// The value of `mode`: `developer`, `managed`, `developer+managed`; `nil` without one.
    public let mode: String?

    /// Splits any text; what is wrong with it is ``ProjectLint``'s to say.
    public init(_ raw: String) {
        self.raw = raw
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

/// An `<intent-filter>` of an Android manifest, its `<data>` elements joined as Android joins them: every scheme goes
/// with every host and every path.
///
/// Sources: Android, "`<data>` element" and "Verify Android App Links".
public struct IntentFilter: Sendable, Hashable {
    /// The activity it belongs to, as the manifest names it.
    public var activity: String?
    /// `android:autoVerify="true"`.
    public var autoVerify: Bool
    /// Full names, `android.intent.action.VIEW`.
    public var actions: [String]
    /// Full names, `android.intent.category.BROWSABLE`.
    public var categories: [String]
    /// As written: Android compares them exactly, so `HTTPS` is another scheme.
    public var schemes: [String]
    public var hosts: [ManifestHost]
    /// Any of them; none means every path.
    public var paths: [ManifestPath]
    /// There are `<uri-relative-filter-group>` elements (Android 15), which narrow further.
    public var hasRelativeGroups: Bool
    /// Where it begins in the manifest.
    public var position: SourcePosition?

    public init(
        activity: String? = nil, autoVerify: Bool = false, actions: [String] = [], categories: [String] = [],
        schemes: [String] = [], hosts: [ManifestHost] = [], paths: [ManifestPath] = [],
        hasRelativeGroups: Bool = false, position: SourcePosition? = nil
    ) {
        self.activity = activity
        self.autoVerify = autoVerify
        self.actions = actions
        self.categories = categories
        self.schemes = schemes
        self.hosts = hosts
        self.paths = paths
        self.hasRelativeGroups = hasRelativeGroups
        self.position = position
    }
}

/// `android:host` and `android:port` of one `<data>` element.
public struct ManifestHost: Sendable, Hashable {
    /// As written; may begin with `*`.
    public var name: String
    /// As written; `nil` without one.
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
    /// Which attribute it is.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// `android:path`: equal.
        case path
        /// `android:pathPrefix`: begins so.
        case pathPrefix
        /// `android:pathSuffix`: ends so (Android 12).
        case pathSuffix
        /// `android:pathPattern`: the simple glob of `PatternMatcher`, where `.*` is any text and `*` repeats.
        case pathPattern
        /// `android:pathAdvancedPattern`: a limited regular expression (Android 12).
        case pathAdvancedPattern
    }

    public var kind: Kind
    /// As written, the manifest's escapes undone.
    public var text: String

    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
