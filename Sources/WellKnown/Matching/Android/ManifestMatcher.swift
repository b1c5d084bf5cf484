import SSOShared

/// Decides whether the intent filters of an app match a link. Whether Android verified the host is another question:
/// ``AndroidAppMatcher``.
///
/// Sources: Android, "Create deep links", "`<data>`" and "`<uri-relative-filter-group>`"; AOSP, `IntentFilter`.
public struct ManifestMatcher: Sendable {
    public let filters: [IntentFilter]
    private let compiled: [CompiledFilter]

    /// - Parameters:
    ///   - filters: the filters of all activities, in the order of the manifest. Filters that do not match a browser's
    ///     links are ignored.
    ///   - sdk: the API level of the system. Older systems ignore attributes that they do not know.
    public init(_ filters: [IntentFilter], sdk: Int = AndroidVersion.latest) {
        self.filters = filters.filter(\.takesWebLinks)
        compiled = self.filters.map { CompiledFilter($0, sdk: sdk) }
    }

    /// The index in ``filters`` of the filter that gets the link: of those that match, the first with the highest order.
    public func filter(for url: LinkURL) -> Int? {
        let texts = DynamicTexts(url)
        let matching = filters.indices.filter { Self.mismatch(of: filters[$0], compiled[$0], url, texts) == nil }
        return matching.max { left, right in
            // `max` returns the last of equal elements, so the earlier one counts as greater.
            (filters[left].order, -left) < (filters[right].order, -right)
        }
    }

    /// Of the filters for which the build or a resource has the last word, the first that may match: what decides it.
    static func open(_ filters: [IntentFilter], _ url: LinkURL, sdk: Int) -> String? {
        for filter in filters {
            guard var known = filter.withoutUnknown else { continue }
            known.isDisabled = false
            let text = filter.unknown[0]
            if !known.schemes.contains("https"), filter.schemes.contains(where: BuildPlaceholder.isIn) {
                known.schemes = ["http", "https"]
            }
            let isWhole = !filter.hosts.contains { BuildPlaceholder.isIn($0.name) }
            guard known.takesWebLinks, known.isExported != false else { continue }
            if !isWhole || filter.hosts.isEmpty { return text }
            if known.paths.count < filter.paths.count { known.paths = [] }
            let matcher = ManifestMatcher([known], sdk: sdk)
            if matcher.filter(for: url) != nil { return text }
        }
        return nil
    }

    /// Why a filter does not match the link, as a part of a sentence. `nil` if it matches.
    public func mismatch(of index: Int, _ url: LinkURL) -> String? {
        Self.mismatch(of: filters[index], compiled[index], url, DynamicTexts(url))
    }

    private static func mismatch(
        of filter: IntentFilter, _ compiled: CompiledFilter, _ url: LinkURL, _ texts: DynamicTexts
    ) -> String? {
        let scheme = url.isSecure ? "https" : "http"
        if let condition = filter.conditions.first { return "\(condition) decides whether it counts" }
        if filter.isDisabled { return "the activity is disabled" }
        if filter.isExported == false { return "the activity is not exported" }
        guard filter.types.isEmpty else { return "it has android:mimeType, and a link has no type" }
        guard filter.schemes.contains(scheme) else { return "it has not the scheme \(scheme)" }
        guard filter.hosts.isEmpty || filter.hosts.contains(where: { $0.matches(url) }) else {
            if let host = filter.hosts.first(where: { $0.matches(host: url.host) }), let port = host.port,
                url.port == nil
            {
                return "it has the port \(port), and a link without a port does not match it"
            }
            let isPort = filter.hosts.contains { $0.matches(host: url.host) }
            return isPort ? "it has another port" : "it has not the host \(url.host)"
        }
        // AOSP: without a host, the path is not compared.
        return filter.hosts.isEmpty ? nil : compiled.mismatch(texts)
    }
}

/// The paths and groups of a filter, as one version of Android reads them.
private struct CompiledFilter: Sendable {
    private let paths: [ManifestPattern]
    private let groups: [(isAllowed: Bool, position: SourcePosition?, conditions: [Condition])]
    private let hasGroups: Bool

    private struct Condition: Sendable {
        let part: RelativeFilterGroup.Part
        let pattern: ManifestPattern
    }

    init(_ filter: IntentFilter, sdk: Int) {
        paths = filter.paths.filter { sdk >= AndroidVersion.pathSuffix || !$0.kind.isOfAndroid12 }.map(
            ManifestPattern.init)
        let known = sdk >= AndroidVersion.relativeGroups ? filter.groups : []
        groups = known.map { group in
            (
                group.isAllowed, group.position,
                group.conditions.map { Condition(part: $0.part, pattern: ManifestPattern($0.pattern)) }
            )
        }
        hasGroups = !groups.isEmpty
    }

    /// A link must match one of the paths, or the first group that matches must allow it.
    func mismatch(_ texts: DynamicTexts) -> String? {
        guard !paths.isEmpty || hasGroups else { return nil }
        if paths.contains(where: { $0.matches(texts.path) }) { return nil }
        let group = groups.first { group in
            // AOSP: a group without conditions never matches.
            !group.conditions.isEmpty && group.conditions.allSatisfy { Self.holds($0, texts) }
        }
        guard let group else { return hasGroups ? "no path and no group of it matches" : "no path of it matches" }
        let line = group.position.map { " (line \($0.line))" } ?? ""
        return group.isAllowed ? nil : "the group that matches\(line) has android:allow=\"false\""
    }

    private static func holds(_ condition: Condition, _ texts: DynamicTexts) -> Bool {
        switch condition.part {
        case .path: condition.pattern.matches(texts.path)
        case .query: texts.items?.contains { condition.pattern.matches($0) } ?? false
        case .fragment: texts.fragment.map { condition.pattern.matches($0) } ?? false
        }
    }
}

/// The API levels at which Android's handling of links changed.
public enum AndroidVersion {
    /// Android 6.0, the first with `autoVerify`.
    public static let verification = 23
    /// Android 12: unverified web links open the browser, and each host is verified alone.
    public static let hostsAlone = 31
    /// Android 12: `pathSuffix` and `pathAdvancedPattern`.
    static let pathSuffix = 31
    /// Android 15: `uri-relative-filter-group`, and dynamic rules.
    public static let relativeGroups = 35
    /// The newest version that this library knows.
    public static let latest = 36

    /// The name of an API level, for example "Android 15".
    public static func name(_ sdk: Int) -> String {
        let names = [
            21: "5", 22: "5.1", 23: "6", 24: "7", 25: "7.1", 26: "8", 27: "8.1", 28: "9", 29: "10", 30: "11", 31: "12",
            32: "12L", 33: "13", 34: "14", 35: "15", 36: "16",
        ]
        return names[sdk].map { "Android \($0)" } ?? "API level \(sdk)"
    }
}

extension ManifestPath.Kind {
    fileprivate var isOfAndroid12: Bool { self == .pathSuffix || self == .pathAdvancedPattern }
}

extension IntentFilter {
    /// Whether links in a browser can open the filter: it has VIEW, BROWSABLE and DEFAULT, and a web scheme.
    public var takesWebLinks: Bool {
        actions.contains("android.intent.action.VIEW") && categories.contains("android.intent.category.BROWSABLE")
            && categories.contains("android.intent.category.DEFAULT")
            && (schemes.contains("http") || schemes.contains("https"))
    }

    /// Whether Android verifies the hosts of the filter: it has `autoVerify`, VIEW, BROWSABLE and only web schemes.
    public var isVerifiable: Bool { autoVerify && isForWebOnly }

    /// Whether it has VIEW, BROWSABLE and only web schemes.
    var isForWebOnly: Bool {
        actions.contains("android.intent.action.VIEW") && categories.contains("android.intent.category.BROWSABLE")
            && !schemes.isEmpty && schemes.allSatisfy { $0 == "http" || $0 == "https" }
    }
}

extension IntentFilter {
    /// What the build or a resource says: the settings that ``conditions`` name, and texts with a placeholder.
    public var unknown: [String] {
        conditions
            + (schemes + hosts.flatMap { [$0.name, $0.port ?? ""] } + paths.map(\.text) + types)
            .filter(BuildPlaceholder.isIn)
    }

    /// The filter with what is known alone. `nil` if everything is known.
    fileprivate var withoutUnknown: IntentFilter? {
        guard !unknown.isEmpty else { return nil }
        var filter = self
        filter.conditions = []
        filter.schemes.removeAll(where: BuildPlaceholder.isIn)
        filter.types.removeAll(where: BuildPlaceholder.isIn)
        filter.paths.removeAll { BuildPlaceholder.isIn($0.text) }
        for index in filter.hosts.indices where filter.hosts[index].port.map(BuildPlaceholder.isIn) ?? false {
            filter.hosts[index].port = nil
        }
        return filter
    }
}

extension ManifestHost {
    /// Whether the host matches. A leading `*` matches any text. Case does not matter.
    func matches(_ url: LinkURL) -> Bool {
        // AOSP compares with `Uri.getPort()`, which is -1 for a link without a written port.
        if let port, BuildPlaceholder.isIn(port) { return false }
        if let port, let number = Int(port), number >= 0, number != url.port { return false }
        return matches(host: url.host)
    }

    func matches(host: String) -> Bool {
        let name = name.lowercased()
        guard name.hasPrefix("*") else { return name == host }
        return host.hasSuffix(name.dropFirst())
    }
}
