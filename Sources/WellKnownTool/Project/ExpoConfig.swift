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
        let document = JSONReader.read(Self.withoutComments(bytes))
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

    /// Expo reads JSON5, so comments and a comma at the end of a list are blanks here. Every other byte keeps its place.
    private static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var comma: Int?
        var (index, isText) = (0, false)
        while index < bytes.count {
            if isText, bytes[index] == 0x5c {
                index += 1
            } else if bytes[index] == 0x22 {
                isText.toggle()
            } else if !isText, bytes[index] == 0x2f, index + 1 < bytes.count, [0x2a, 0x2f].contains(bytes[index + 1]) {
                let isLine = bytes[index + 1] == 0x2f
                while index < bytes.count {
                    if isLine
                        ? bytes[index] == 0x0a || bytes[index] == 0x0d : bytes[index...].starts(with: [0x2a, 0x2f])
                    {
                        break
                    }
                    if bytes[index] > 0x20 { bytes[index] = 0x20 }
                    index += 1
                }
                if !isLine, index + 1 < bytes.count { (bytes[index], bytes[index + 1]) = (0x20, 0x20) }
            } else if !isText, bytes[index] > 0x20 {
                if bytes[index] == 0x5d || bytes[index] == 0x7d, let comma { bytes[comma] = 0x20 }
                comma = bytes[index] == 0x2c ? index : nil
            }
            if isText { comma = nil }
            index += 1
        }
        return bytes
    }

    /// The filter that Expo writes into the manifest.
    ///
    /// Source: expo/expo, packages/@expo/config-plugins, IntentFilters.ts, `renderIntentFilters`.
    private static func filter(
        _ node: JSONNode, _ position: (JSONNode) -> SourcePosition, _ filled: (String) -> String
    ) -> IntentFilter {
        var filter = IntentFilter(
            // Expo puts the filters into its one activity, which is exported.
            activity: ".MainActivity", autoVerify: isTrue(node["autoVerify"]),
            // Expo puts its prefix before every name, also before a full one.
            actions: ["android.intent.action.\(node["action"].flatMap(text) ?? "undefined")"],
            categories: items(node["category"]).compactMap(text).map { "android.intent.category.\($0)" },
            position: position(node))
        filter.isExported = true
        for data in items(node["data"]) where data.object != nil {
            func value(_ name: String) -> String? { data[name].flatMap(text).map(filled) }
            var item = ManifestData(scheme: value("scheme"), position: position(data))
            item.host = value("host").map { ManifestHost($0, port: value("port"), position: position(data)) }
            item.paths = ManifestPath.Kind.allCases.compactMap { kind in
                value(kind.rawValue).map {
                    ManifestPath(kind, AndroidManifest.unescaped($0), position: position(data))
                }
            }
            filter.types += [value("mimeType")].compactMap(\.self)
            filter.schemes += [item.scheme].compactMap(\.self)
            filter.hosts += [item.host].compactMap(\.self)
            filter.paths += item.paths
            filter.data.append(item)
        }
        return filter
    }

    private static func items(_ node: JSONNode?) -> [JSONNode] {
        (node?.array ?? [node].compactMap(\.self)).filter(isTrue)
    }

    private static func text(_ node: JSONNode) -> String? {
        if case .number(let digits) = node.value { return digits }
        return node.string ?? node.bool.map { $0 ? "true" : "false" }
    }

    /// Whether JavaScript takes the value for true.
    private static func isTrue(_ node: JSONNode?) -> Bool {
        guard let node else { return false }
        if case .number(let digits) = node.value { return Double(digits) != 0 }
        if let text = node.string { return !text.isEmpty }
        return node.bool ?? (node.array != nil || node.object != nil)
    }
}
