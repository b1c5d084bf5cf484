import WellKnown
import Yams

/// The parts of a plan from flags, from a file, or from both.
struct PlanParts {
    var appleApps: [AppleAppID] = []
    var androidApps: [AndroidApp] = []
    var routes: [LinkRoute] = []
    var excludes: [LinkRoute] = []
    /// The host of the links. It is used for the intent filter and for URLs in messages.
    var host: String?
    var options = AssociationPlan.Options()

    func plan() throws(AssociationError) -> AssociationPlan {
        try AssociationPlan(
            appleApps: appleApps, androidApps: androidApps, routes: routes, excludes: excludes, options: options)
    }

    /// Whether the text is a host as in a manifest: a lower-case name with several labels.
    static func isHost(_ text: String) -> Bool {
        guard let target = FetchTarget(text), target.port == nil, target.path == nil else { return false }
        let isName = text.utf8.allSatisfy { byte in
            (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x2e
        }
        return isName && target.host == text && text.contains(".") && !target.isNumeric
    }
}

/// Reads a plan from YAML.
extension PlanParts {
    private static let keys = ["apple", "android", "paths", "exclude", "host", "ios12", "dynamic-rules", "credentials"]

    init(reading name: String) throws(YAMLFile.ReadError) {
        var yaml = try YAMLFile(name, limit: 1 << 20)
        let keys = yaml.members(try yaml.content(), known: Self.keys) ?? [:]
        appleApps = Self.items(keys["apple"], &yaml) { (text) throws(AssociationError) in try AppleAppID(text) }
        androidApps = yaml.list(keys["android"]).compactMap { Self.androidApp($0, &yaml) }
        routes = Self.items(keys["paths"], &yaml) { (text) throws(AssociationError) in try LinkRoute(text) }
        excludes = Self.items(keys["exclude"], &yaml) { (text) throws(AssociationError) in try LinkRoute(text) }
        host = keys["host"]?.scalar?.string
        if let node = keys["host"], !Self.isHost(host ?? "") {
            yaml.refuse("host must be a name such as links.example.com, in lower case, without scheme and path", node)
        }
        options.hasLegacyPaths = Self.flag(keys["ios12"], &yaml) ?? false
        options.hasDynamicRules = Self.flag(keys["dynamic-rules"], &yaml) ?? false
        options.sharesCredentials = Self.flag(keys["credentials"], &yaml) ?? true
        try yaml.finish()
    }

    private static func androidApp(_ node: Node, _ yaml: inout YAMLFile) -> AndroidApp? {
        guard let keys = yaml.members(node, known: ["package", "fingerprints"]) else { return nil }
        guard let package = keys["package"]?.scalar?.string else {
            yaml.refuse("an Android app needs package, a text", node)
            return nil
        }
        let nodes = yaml.list(keys["fingerprints"])
        let fingerprints = nodes.compactMap { yaml.text($0) }
        guard let first = nodes.first else {
            yaml.refuse("an Android app needs fingerprints, a list of SHA-256", node)
            return nil
        }
        // These characters separate values on the command line, so an item with one of them would become two values.
        if let item = nodes.first(where: { $0.string?.contains { ";,".contains($0) } ?? false }) {
            yaml.refuse("a fingerprint holds no ; and no comma", item)
            return nil
        }
        do throws(AssociationError) {
            return try AndroidApp("\(package)=\(fingerprints.joined(separator: ";"))")
        } catch {
            yaml.refuse("\(error)", first)
            return nil
        }
    }

    private static func items<Item>(
        _ node: Node?, _ yaml: inout YAMLFile, _ read: (String) throws(AssociationError) -> Item
    ) -> [Item] {
        var items: [Item] = []
        for node in yaml.list(node) {
            guard let text = yaml.text(node) else { continue }
            do throws(AssociationError) { items.append(try read(text)) } catch { yaml.refuse("\(error)", node) }
        }
        return items
    }

    private static func flag(_ node: Node?, _ yaml: inout YAMLFile) -> Bool? {
        guard let node else { return nil }
        let flag = node.scalar.flatMap { ["true": true, "false": false][$0.string] }
        if flag == nil { yaml.refuse("true or false is expected here", node) }
        return flag
    }
}
