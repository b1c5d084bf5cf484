import Foundation
import WellKnown
import Yams

/// A YAML file of links and the apps that must open them, over any number of hosts.
///
/// Unknown keys are errors, because a misspelled one would check nothing.
struct ExpectationsFile: Sendable {
    /// What must happen to a link on one system.
    enum Outcome: Sendable, Hashable {
        /// This app opens it.
        case app(String)
        /// No app opens it.
        case browser

        var words: String {
            switch self {
            case .app(let name): name
            case .browser: "browser"
            }
        }
    }

    struct Expectation: Sendable {
        let link: LinkURL
        let line: Int
        let outcomes: [(platform: LinkPlatform, outcome: Outcome)]
    }

    /// Files that are read instead of those of the server.
    struct LocalFiles: Sendable {
        var aasa, assetlinks, manifest: String?
    }

    struct ReadError: Error {
        /// One line for each error, with the line of the file.
        let lines: [String]
        let isUnreadable: Bool
    }

    private(set) var expectations: [Expectation] = []
    /// The local files by host.
    private(set) var files: [String: LocalFiles] = [:]

    private let name: String
    private var faults: [String] = []

    static func read(_ name: String) throws(ReadError) -> ExpectationsFile {
        let data: Data
        do throws(InputError) { data = try InputBytes.read(name, limit: 4 << 20) } catch {
            throw ReadError(lines: ["\(name.printable): \(error)"], isUnreadable: true)
        }
        return try ExpectationsFile(name: name, text: String(decoding: data, as: UTF8.self))
    }

    init(name: String, text: String) throws(ReadError) {
        self.name = name.printable
        do {
            guard let root = try Yams.compose(yaml: text) else {
                throw ReadError(lines: ["\(name.printable): it is empty"], isUnreadable: false)
            }
            read(root)
        } catch let error as ReadError {
            throw error
        } catch {
            throw ReadError(
                lines: ["\(name.printable): it is not valid YAML: \("\(error)".printable)"], isUnreadable: false)
        }
        if faults.isEmpty, expectations.isEmpty { faults.append("\(self.name): expect has no links") }
        guard faults.isEmpty else { throw ReadError(lines: faults, isUnreadable: false) }
    }

    private mutating func read(_ root: Node) {
        let keys = members(root, known: ["expect", "files"])
        for (host, node) in members(keys["files"], known: nil) {
            let entries = members(node, known: ["aasa", "assetlinks", "manifest"])
            files[host.lowercased()] = LocalFiles(
                aasa: text(entries["aasa"]), assetlinks: text(entries["assetlinks"]),
                manifest: text(entries["manifest"]))
        }
        guard let list = keys["expect"]?.sequence else {
            return refuse("expect must be a list of links", keys["expect"] ?? root)
        }
        for node in list { readExpectation(node) }
    }

    private mutating func readExpectation(_ node: Node) {
        let keys = members(node, known: ["url", "ios", "android"])
        guard let text = text(keys["url"]), let link = LinkURL(text) else {
            return refuse("url must be an http or https address, such as https://links.example.com/shop/1", node)
        }
        var outcomes: [(platform: LinkPlatform, outcome: Outcome)] = []
        for (platform, key) in [(LinkPlatform.ios, "ios"), (.android, "android")] {
            guard let value = keys[key] else { continue }
            guard let word = self.text(value), !word.isEmpty else {
                refuse("\(key) must be an app, or browser", value)
                continue
            }
            if platform == .ios, word != "browser", (try? AppleAppID(word)) == nil {
                refuse("ios must be an app with its Team ID, such as ABCDE12345.com.example.app, or browser", value)
            }
            outcomes.append((platform, word == "browser" ? .browser : .app(word)))
        }
        if outcomes.isEmpty { refuse("an expectation needs ios, android or both", node) }
        expectations.append(Expectation(link: link, line: node.mark?.line ?? 1, outcomes: outcomes))
    }

    // MARK: Nodes

    private mutating func members(_ node: Node?, known: [String]?) -> [String: Node] {
        guard let node else { return [:] }
        guard let mapping = node.mapping else {
            refuse("keys and values are expected", node)
            return [:]
        }
        var members: [String: Node] = [:]
        for (key, value) in mapping {
            guard let name = key.string else { continue }
            if let known, !known.contains(name) {
                refuse("unknown key \"\(name.printable)\"; known are \(known.joined(separator: ", "))", key)
            }
            members[name] = value
        }
        return members
    }

    private mutating func text(_ node: Node?) -> String? {
        guard let node else { return nil }
        guard let scalar = node.scalar else {
            refuse("a text is expected", node)
            return nil
        }
        return scalar.string
    }

    private mutating func refuse(_ reason: String, _ node: Node) {
        faults.append("\(name):\(node.mark?.line ?? 1): \(reason)")
    }
}
