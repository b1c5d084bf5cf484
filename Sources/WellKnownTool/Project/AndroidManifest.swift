import WellKnown

/// An AndroidManifest.xml: the intent filters of its activities.
///
/// Sources: Android, "App manifest overview", "`<data>`", "`<intent-filter>`".
struct AndroidManifest: Sendable, Hashable {
    /// The application id in the manifest. `nil` if the build adds it, as Gradle does since AGP 7.
    var package: String?
    /// The intent filters in the order of the file.
    let filters: [IntentFilter]
    /// `minSdkVersion` and `targetSdkVersion` of `<uses-sdk>`. `nil` if the build adds them.
    let minimumSDK, targetSDK: Int?
    /// The activities whose `android:exported` is `false`. Links cannot open them.
    let closedActivities: Set<String>
    /// The activities that are disabled by `android:enabled="false"`, on the activity or on the application.
    let disabledActivities: Set<String>

    static let namespace = "http://schemas.android.com/apk/res/android"

    /// Reads the manifest of a project, or the compiled one of an APK.
    ///
    /// - Throws: ``ProjectFileError``.
    ///
    /// - Parameter values: the values of the build's placeholders, by name.
    init(reading bytes: some Sequence<UInt8>, filling values: [String: String] = [:]) throws(ProjectFileError) {
        let bytes = Array(bytes)
        let root = try BinaryXML.isBinary(bytes) ? BinaryXML.read(bytes) : ProjectXMLReader.read(bytes)
        try self.init(root: root, filling: values)
    }

    /// The manifest of an app whose project has its filters elsewhere.
    init(_ config: ExpoConfig) {
        package = config.package
        filters = config.filters ?? []
        (minimumSDK, targetSDK) = (nil, nil)
        (closedActivities, disabledActivities) = ([], [])
    }

    init(root: ProjectXMLElement, filling values: [String: String] = [:]) throws(ProjectFileError) {
        guard root.name == "manifest" else {
            throw ProjectFileError("the root element is <\(root.name)>, not <manifest>", at: root.position)
        }
        let bound = root.attributes.first { $0.name.hasPrefix("xmlns:") && $0.value == Self.namespace }
        let prefix = bound.map { String($0.name.dropFirst("xmlns:".count)) } ?? "android"
        self.init(root, prefix: prefix, values)
    }

    private init(_ root: ProjectXMLElement, prefix: String, _ values: [String: String]) {
        let named = root["package"].map { BuildPlaceholder.filled($0, with: values) }
        // A placeholder is not a package name.
        package = named.flatMap { BuildPlaceholder.isIn($0) ? nil : $0 }
        var filters: [IntentFilter] = []
        var (closed, disabled): (Set<String>, Set<String>) = ([], [])
        let applications = root.children(named: "application")
        let isDisabled = applications.contains { $0["\(prefix):enabled"] == "false" }
        for activity in applications.flatMap(\.children)
        where activity.name == "activity" || activity.name == "activity-alias" {
            let name = activity["\(prefix):name"]
            if activity["\(prefix):exported"] == "false", let name { closed.insert(name) }
            if isDisabled || activity["\(prefix):enabled"] == "false", let name { disabled.insert(name) }
            for filter in activity.children(named: "intent-filter") {
                var filter = Self.filter(filter, of: name, prefix: prefix, values)
                filter.isExported = activity["\(prefix):exported"].map { $0 == "true" }
                filter.isDisabled = isDisabled || activity["\(prefix):enabled"] == "false"
                filters.append(filter)
            }
        }
        self.filters = filters
        (closedActivities, disabledActivities) = (closed, disabled)
        let sdks = root.children(named: "uses-sdk").first
        minimumSDK = sdks?["\(prefix):minSdkVersion"].flatMap { Int($0) }
        targetSDK = sdks?["\(prefix):targetSdkVersion"].flatMap { Int($0) }
    }

    private static func filter(
        _ element: ProjectXMLElement, of activity: String?, prefix: String, _ values: [String: String]
    ) -> IntentFilter {
        func filled(_ text: String) -> String { BuildPlaceholder.filled(text, with: values) }
        func names(_ tag: String) -> [String] { element.children(named: tag).compactMap { $0["\(prefix):name"] } }
        var filter = IntentFilter(
            activity: activity, autoVerify: element["\(prefix):autoVerify"] == "true", actions: names("action"),
            categories: names("category"), position: element.position)
        filter.order = element["\(prefix):order"].flatMap { Int($0) } ?? 0
        filter.groups = element.children(named: "uri-relative-filter-group").map { group($0, prefix, filled) }
        for data in element.children(named: "data") {
            var item = ManifestData(scheme: data["\(prefix):scheme"].map(filled), position: data.position)
            item.host = data["\(prefix):host"].map {
                ManifestHost(filled($0), port: data["\(prefix):port"].map(filled), position: data.position)
            }
            item.paths = ManifestPath.Kind.allCases.compactMap { kind in
                data["\(prefix):\(kind.rawValue)"].map {
                    ManifestPath(kind, unescaped(filled($0)), position: data.position)
                }
            }
            filter.types += [data["\(prefix):mimeType"]].compactMap(\.self)
            filter.schemes += [item.scheme].compactMap(\.self)
            filter.hosts += [item.host].compactMap(\.self)
            filter.paths += item.paths
            filter.data.append(item)
        }
        return filter
    }

    private static func group(
        _ element: ProjectXMLElement, _ prefix: String, _ filled: (String) -> String
    ) -> RelativeFilterGroup {
        var group = RelativeFilterGroup(
            isAllowed: element["\(prefix):allow"] != "false", conditions: [], position: element.position)
        for data in element.children(named: "data") {
            for part in RelativeFilterGroup.Part.allCases {
                for kind in ManifestPath.Kind.allCases {
                    // pathPrefix, queryPrefix, fragmentPrefix and so on.
                    let name = part.rawValue + kind.rawValue.dropFirst("path".count)
                    guard let text = data["\(prefix):\(name)"] else { continue }
                    let pattern = ManifestPath(kind, unescaped(filled(text)), position: data.position)
                    group.conditions.append(RelativeFilterGroup.Condition(part, pattern))
                }
            }
        }
        return group
    }

    /// Removes one backslash of each escape, as the resource compiler does.
    /// Source: Android, "String resources", section "Escape special characters".
    private static func unescaped(_ text: String) -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            if character == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            result.append(character)
            isEscaped = false
        }
        return result
    }
}
