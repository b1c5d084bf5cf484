import Foundation
import WellKnown
import Yams

/// Reads a plan from YAML. Every error names the file, the line and the key. Unknown keys are errors: if a misspelled
/// `exclude` were ignored, links that belong in the browser would open the app.
struct PlanFile {
    private let name: String
    private var faults: [String] = []
    private static let keys = ["apple", "android", "paths", "exclude", "host", "ios12", "dynamic-rules", "credentials"]

    /// - Throws: ``PlanFileError`` with all errors, one line each.
    static func read(_ name: String) throws(PlanFileError) -> PlanParts {
        let data: Data
        do throws(InputError) { data = try InputBytes.read(name, limit: 1 << 20) } catch {
            throw PlanFileError(lines: ["\(name.printable): \(error)"], isUnreadable: true)
        }
        var file = PlanFile(name: name)
        let parts = file.parts(Array(data))
        guard file.faults.isEmpty, let parts else { throw PlanFileError(lines: file.faults, isUnreadable: false) }
        return parts
    }

    private init(name: String) { self.name = name.printable }

    private mutating func parts(_ bytes: [UInt8]) -> PlanParts? {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            faults.append("\(name): it is not text in UTF-8")
            return nil
        }
        do {
            guard let root = try Yams.compose(yaml: text) else {
                faults.append("\(name): it is empty")
                return nil
            }
            return parts(root)
        } catch {
            faults.append("\(name):\(Self.words(error))")
            return nil
        }
    }

    private mutating func parts(_ root: Node) -> PlanParts? {
        guard let keys = map(root, known: Self.keys) else { return nil }
        var parts = PlanParts()
        for item in list(keys["apple"]) {
            take(item) { (text) throws(AssociationError) in parts.appleApps.append(try AppleAppID(text)) }
        }
        for node in elements(keys["android"]) {
            if let app = androidApp(node) { parts.androidApps.append(app) }
        }
        for item in list(keys["paths"]) {
            take(item) { (text) throws(AssociationError) in parts.routes.append(try LinkRoute(text)) }
        }
        for item in list(keys["exclude"]) {
            take(item) { (text) throws(AssociationError) in parts.excludes.append(try LinkRoute(text)) }
        }
        if let node = keys["host"] {
            if let host = node.scalar?.string, PlanParts.isHost(host) {
                parts.host = host
            } else {
                refuse("host must be a name such as links.example.com, in lower case, without scheme and path", node)
            }
        }
        parts.options.hasLegacyPaths = flag(keys["ios12"]) ?? false
        parts.options.hasDynamicRules = flag(keys["dynamic-rules"]) ?? false
        parts.options.sharesCredentials = flag(keys["credentials"]) ?? true
        return parts
    }

    private mutating func androidApp(_ node: Node) -> AndroidApp? {
        guard let keys = map(node, known: ["package", "fingerprints"]) else { return nil }
        guard let package = keys["package"]?.scalar?.string else {
            refuse("an Android app needs package, a text", node)
            return nil
        }
        let fingerprints = list(keys["fingerprints"])
        guard let first = fingerprints.first else {
            refuse("an Android app needs fingerprints, a list of SHA-256", node)
            return nil
        }
        // These characters separate values on the command line. In a YAML list, an item with one of them would become
        // two values.
        for item in fingerprints where item.text.contains(where: { ";,".contains($0) }) {
            refuse("a fingerprint holds no ; and no comma", item.node)
            return nil
        }
        do throws(AssociationError) {
            return try AndroidApp("\(package)=\(fingerprints.map(\.text).joined(separator: ";"))")
        } catch {
            refuse("\(error)", first.node)
            return nil
        }
    }

    private typealias Item = (text: String, node: Node)

    private mutating func take(_ item: Item, _ use: (String) throws(AssociationError) -> Void) {
        do throws(AssociationError) { try use(item.text) } catch { refuse("\(error)", item.node) }
    }

    private mutating func list(_ node: Node?) -> [Item] {
        var items: [Item] = []
        for element in elements(node) {
            if let scalar = element.scalar {
                items.append((scalar.string, element))
            } else {
                refuse("a text is expected here", element)
            }
        }
        return items
    }

    private mutating func elements(_ node: Node?) -> [Node] {
        guard let node else { return [] }
        guard let items = node.sequence else {
            refuse("a list is expected here", node)
            return []
        }
        return Array(items)
    }

    private mutating func flag(_ node: Node?) -> Bool? {
        guard let node else { return nil }
        switch node.scalar?.string {
        case "true": return true
        case "false": return false
        default:
            refuse("true or false is expected here", node)
            return nil
        }
    }

    private mutating func map(_ node: Node, known: [String]) -> [String: Node]? {
        guard let mapping = node.mapping else {
            refuse("keys and values are expected here: \(known.joined(separator: ", "))", node)
            return nil
        }
        var result: [String: Node] = [:]
        for (key, value) in mapping {
            let name = key.scalar?.string ?? ""
            if known.contains(name) {
                result[name] = value
            } else {
                refuse("unknown key \"\(name.printable)\"; known are \(known.joined(separator: ", "))", key)
            }
        }
        return result
    }

    private mutating func refuse(_ words: String, _ node: Node) {
        faults.append("\(name):\(node.mark?.line ?? 1): \(words)")
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let YamlError.scanner(_, problem, mark, _), let YamlError.parser(_, problem, mark, _),
            let YamlError.composer(_, problem, mark, _):
            "\(mark.line): \(problem)"
        case let YamlError.duplicatedKeysInMapping(keys, context):
            "\(context.mark.line): the key \(keys.joined(separator: ", ").printable) appears twice"
        default: " it is not valid YAML"
        }
    }
}

/// All errors of a plan.
struct PlanFileError: Error {
    let lines: [String]
    /// Whether the file could not be read at all.
    let isUnreadable: Bool
}

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
