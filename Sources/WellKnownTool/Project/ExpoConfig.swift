import SSOShared
import WellKnown

/// The parts of an Expo project's `app.json` or `app.config.json` that concern links.
///
/// Source: Expo, "app.json / app.config.js" (`ios.associatedDomains`, `android.intentFilters`).
struct ExpoConfig: Sendable {
    /// The values of `ios.associatedDomains`, or `nil` if the key is absent.
    let domains: [AssociatedDomain]?
    let bundleIdentifier: String?
    let teamIdentifier: String?
    let package: String?
    /// The filters of `android.intentFilters`, or `nil` if the key is absent.
    let filters: [IntentFilter]?

    /// - Returns: `nil` if the bytes are not JSON with an object as its root.
    /// - Throws: ``ProjectFileError`` for JSON without any of Expo's keys, and for values of a wrong type.
    init?(reading bytes: [UInt8], filling values: [String: String] = [:]) throws(ProjectFileError) {
        let document = JSONReader.read(bytes)
        guard let root = document.root, root.object != nil else { return nil }
        let config = root["expo"] ?? root
        guard root["expo"] != nil || config["ios"] != nil || config["android"] != nil else {
            throw ProjectFileError("this JSON is not an Expo configuration: it has no expo, ios or android")
        }
        func position(_ node: JSONNode) -> SourcePosition { document.position(at: node.range.lowerBound) }
        func filled(_ text: String) -> String { BuildPlaceholder.filled(text, with: values) }

        let (ios, android) = (config["ios"], config["android"])
        bundleIdentifier = ios?["bundleIdentifier"]?.string.map(filled)
        teamIdentifier = ios?["appleTeamId"]?.string.map(filled)
        package = android?["package"]?.string.map(filled)
        if let node = ios?["associatedDomains"] {
            guard let items = node.array else {
                throw ProjectFileError("ios.associatedDomains must be a list of strings", at: position(node))
            }
            var domains: [AssociatedDomain] = []
            for item in items {
                guard let text = item.string else {
                    throw ProjectFileError("ios.associatedDomains must be a list of strings", at: position(item))
                }
                domains.append(AssociatedDomain(filled(text), at: position(item)))
            }
            self.domains = domains
        } else {
            domains = nil
        }
        guard let node = android?["intentFilters"] else {
            filters = nil
            return
        }
        guard let items = node.array, items.allSatisfy({ $0.object != nil }) else {
            throw ProjectFileError("android.intentFilters must be a list of objects", at: position(node))
        }
        filters = items.map { Self.filter($0, position, filled) }
    }

    private static func filter(
        _ node: JSONNode, _ position: (JSONNode) -> SourcePosition, _ filled: (String) -> String
    ) -> IntentFilter {
        func texts(_ node: JSONNode?) -> [String] {
            node?.string.map { [$0] } ?? node?.array?.compactMap(\.string) ?? []
        }
        var filter = IntentFilter(
            // Expo puts the filters into its one activity, which is exported.
            activity: ".MainActivity", autoVerify: node["autoVerify"]?.bool ?? false,
            actions: texts(node["action"]).map { full($0, "android.intent.action.") },
            categories: texts(node["category"]).map { full($0, "android.intent.category.") }, position: position(node))
        filter.isExported = true
        for data in node["data"]?.array ?? [node["data"]].compactMap(\.self) where data.object != nil {
            var item = ManifestData(scheme: data["scheme"]?.string.map(filled), position: position(data))
            var port = data["port"]?.string
            if case .number(let digits)? = data["port"]?.value { port = digits }
            item.host = data["host"]?.string.map { ManifestHost(filled($0), port: port, position: position(data)) }
            item.paths = ManifestPath.Kind.allCases.compactMap { kind in
                data[kind.rawValue]?.string.map { ManifestPath(kind, filled($0), position: position(data)) }
            }
            filter.types += [data["mimeType"]?.string].compactMap(\.self)
            filter.schemes += [item.scheme].compactMap(\.self)
            filter.hosts += [item.host].compactMap(\.self)
            filter.paths += item.paths
            filter.data.append(item)
        }
        return filter
    }

    /// Expo accepts the last part of a name, such as VIEW.
    private static func full(_ name: String, _ prefix: String) -> String { name.contains(".") ? name : prefix + name }
}
