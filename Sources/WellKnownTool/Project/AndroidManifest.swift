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
    /// - Parameter values: the values of the build's placeholders, by name.
    init(reading bytes: some Sequence<UInt8>, filling values: [String: String] = [:]) throws(ProjectFileError) {
        let bytes = Array(bytes)
        let isCompiled = BinaryXML.isBinary(bytes)
        let root = try isCompiled ? BinaryXML.read(bytes) : ProjectXMLReader.read(bytes)
        try self.init(root: root, filling: values, isCompiled: isCompiled)
    }

    /// The manifest of an app: the first one, and the filters of the others, which the build merges into it.
    init(merging parts: [AndroidManifest]) {
        package = parts.first?.package
        filters = parts.flatMap(\.filters)
        minimumSDK = parts.lazy.compactMap(\.minimumSDK).first
        targetSDK = parts.lazy.compactMap(\.targetSDK).first
        closedActivities = Set(parts.flatMap(\.closedActivities))
        disabledActivities = Set(parts.flatMap(\.disabledActivities))
    }

    /// The manifest of an app whose project has its filters elsewhere.
    init(_ config: ExpoConfig) {
        package = config.package
        filters = config.filters ?? []
        (minimumSDK, targetSDK) = (nil, nil)
        (closedActivities, disabledActivities) = ([], [])
    }

    /// - Parameter isCompiled: whether the resource compiler has already removed one backslash of each escape.
    init(
        root: ProjectXMLElement, filling values: [String: String] = [:], isCompiled: Bool = false
    ) throws(ProjectFileError) {
        guard root.name == "manifest" else {
            throw ProjectFileError("the root element is <\(root.name)>, not <manifest>", at: root.position)
        }
        func prefix(of namespace: String) -> String? {
            let bound = root.attributes.first { $0.name.hasPrefix("xmlns:") && $0.value == namespace }
            return bound.map { String($0.name.dropFirst("xmlns:".count)) }
        }
        self.init(
            ManifestSource(
                prefix: prefix(of: Self.namespace) ?? "android",
                tools: prefix(of: "http://schemas.android.com/tools") ?? "tools", values: values,
                isCompiled: isCompiled), root)
    }

    private init(_ source: ManifestSource, _ root: ProjectXMLElement) {
        let named = root["package"].map(source.filled)
        // A placeholder is not a package name.
        package = named.flatMap { BuildPlaceholder.isIn($0) ? nil : $0 }
        var filters: [IntentFilter] = []
        var (closed, disabled): (Set<String>, Set<String>) = ([], [])
        let applications = source.children(root, "application")
        let application = applications.map { source.flag($0, "enabled") }.first { $0 != .absent } ?? .absent
        for activity in applications.flatMap({ source.children($0, "activity", "activity-alias") }) {
            let name = source[activity, "name"]
            let (enabled, exported) = (source.flag(activity, "enabled"), source.flag(activity, "exported"))
            let isDisabled = application == .no || enabled == .no
            if exported == .no, let name { closed.insert(name) }
            if isDisabled, let name { disabled.insert(name) }
            for element in source.children(activity, "intent-filter") {
                var filter = source.filter(element, of: name)
                filter.isExported = exported.isYes
                filter.isDisabled = isDisabled
                filter.conditions += application.condition("android:enabled")
                filter.conditions += enabled.condition("android:enabled") + exported.condition("android:exported")
                filters.append(filter)
            }
        }
        self.filters = filters
        (closedActivities, disabledActivities) = (closed, disabled)
        let sdks = root.children(named: "uses-sdk").first
        minimumSDK = sdks.flatMap { source[$0, "minSdkVersion"] }.flatMap { Int($0) }
        targetSDK = sdks.flatMap { source[$0, "targetSdkVersion"] }.flatMap { Int($0) }
    }

    /// Removes one backslash of each escape, as the resource compiler does.
    /// Source: Android, "String resources", section "Escape special characters".
    static func unescaped(_ text: String) -> String {
        var isEscaped = false
        return text.filter { character in
            isEscaped = character == "\\" && !isEscaped
            return !isEscaped
        }
    }
}
