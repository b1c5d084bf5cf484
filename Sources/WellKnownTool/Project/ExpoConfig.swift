import SSOShared
import WellKnown

/// The parts of an Expo project's `app.json` or `app.config.json` that concern links.
///
/// Source: Expo, "app.json / app.config.js" (`ios.associatedDomains`, `android.intentFilters`).
struct ExpoConfig: Sendable {
    /// The values of `ios.associatedDomains`, or `nil` if the key is absent.
    let domains: [AssociatedDomain]?
    /// Whether the value is one text in place of a list. Expo writes it into the entitlements as it is.
    let hasLoneDomain: Bool
    let bundleIdentifier: String?
    let teamIdentifier: String?
    let package: String?
    /// The filters of `android.intentFilters`, or `nil` if the key is absent.
    let filters: [IntentFilter]?
    /// Why ``filters`` is not known.
    let unread: String?

    /// - Returns: `nil` if the bytes are not JSON with an object as its root.
    /// - Throws: ``ProjectFileError`` for JSON without any of Expo's keys.
    init?(reading bytes: [UInt8], filling values: [String: String] = [:]) throws(ProjectFileError) {
        // Expo reads JSON5: comments, single quotes, names without quotes and a comma at the end of a list are no errors.
        let document = JSONReader.read(Self.quotingNames(bytes))
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
        let written = ios?["associatedDomains"].flatMap { Self.isTrue($0) ? $0 : nil }
        hasLoneDomain = written?.string != nil
        domains = written.map { Self.items($0) }?.compactMap { item in
            item.string.map { AssociatedDomain(filled($0), at: position(item)) }
        }
        let items = android?["intentFilters"].flatMap { Self.isTrue($0) ? $0 : nil }
        guard let list = items?.array ?? (items == nil ? [] : nil) else {
            unread = "android.intentFilters must be a list of objects"
            filters = nil
            return
        }
        unread = nil
        filters = items.map { _ in list.filter { $0.object != nil }.map { Self.filter($0, position, filled) } }
    }

    /// The text with quotation marks around names that have none, before a colon.
    private static func quotingNames(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var (index, quote) = (0, UInt8?.none)
        while index < bytes.count {
            let name = quote == nil ? bytes[index...].prefix { isNameByte($0) } : []
            let next = bytes[(index + name.count)...].first { $0 > 0x20 }
            if !name.isEmpty {
                let mark: [UInt8] = next == UInt8(ascii: ":") ? [0x22] : []
                result += mark + name + mark
                index += name.count
                continue
            }
            let byte = bytes[index]
            if quote != nil, byte == 0x5c, index + 1 < bytes.count {
                result.append(byte)
                index += 1
            } else if byte == quote {
                quote = nil
            } else if quote == nil, byte == 0x22 || byte == 0x27 {
                quote = byte
            }
            result.append(bytes[index])
            index += 1
        }
        return result
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
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
                value(kind.rawValue).map { ManifestPath(kind, AndroidManifest.unescaped($0), position: position(data)) }
            }
            filter.add(item, type: value("mimeType"))
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
