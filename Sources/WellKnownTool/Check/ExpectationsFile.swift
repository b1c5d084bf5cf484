import WellKnown
import Yams

/// A YAML file of links and the apps that must open them, over any number of hosts.
struct ExpectationsFile {
    /// What must happen to a link on one system.
    enum Outcome: Sendable, Hashable {
        /// This app opens it.
        case app(String)
        /// No app opens it.
        case browser

        var words: String { if case .app(let name) = self { name } else { "browser" } }
    }

    struct Expectation: Sendable {
        let link: LinkURL
        let line: Int
        let outcomes: [(platform: LinkPlatform, outcome: Outcome)]
    }

    /// Files that are read instead of those of the server.
    struct LocalFiles: Sendable { var aasa, assetlinks, manifest: String? }

    private(set) var expectations: [Expectation] = []
    private(set) var files: [String: LocalFiles] = [:]

    private var yaml: YAMLFile

    init(_ name: String) throws(YAMLFile.ReadError) {
        yaml = try YAMLFile(name, limit: 4 << 20)
        let root = try yaml.content()
        read(root)
        if yaml.faults.isEmpty, expectations.isEmpty { yaml.refuse("expect has no links", root) }
        try yaml.finish()
    }

    private mutating func read(_ root: Node) {
        let keys = yaml.members(root, known: ["expect", "files"]) ?? [:]
        guard let list = keys["expect"]?.sequence else {
            return yaml.refuse("expect must be a list of links", keys["expect"] ?? root)
        }
        for node in list { readExpectation(node) }
        let hosts = (yaml.members(keys["files"]) ?? [:]).sorted { $0.key < $1.key }
        for (name, node) in hosts { readFiles(name, node) }
    }

    /// Reads the files of one host. One that would have no effect is refused.
    private mutating func readFiles(_ name: String, _ node: Node) {
        let entries = yaml.members(node, known: ["aasa", "assetlinks", "manifest"]) ?? [:]
        let link = LinkURL("https://\(name)/")
        guard let link, !name.contains(where: { "@:/\\?#".contains($0) }) else {
            return yaml.refuse("files: \(name.printable) is not a host, such as links.example.com", node)
        }
        let host = Self.host(of: link)
        if !expectations.contains(where: { Self.host(of: $0.link) == host }) {
            yaml.refuse("files: no link of expect is at the host \(name.printable)", node)
        }
        if files[host] != nil { yaml.refuse("files: the host \(name.printable) is there twice", node) }
        files[host] = LocalFiles(
            aasa: yaml.text(entries["aasa"]), assetlinks: yaml.text(entries["assetlinks"]),
            manifest: yaml.text(entries["manifest"]))
    }

    /// The name of ``files`` for a link: its host without the dot of the root.
    static func host(of link: LinkURL) -> String { link.host.hasSuffix(".") ? String(link.host.dropLast()) : link.host }

    private mutating func readExpectation(_ node: Node) {
        guard let keys = yaml.members(node, known: ["url", "ios", "android"]) else { return }
        guard let text = yaml.text(keys["url"]), let link = LinkURL(text) else {
            return yaml.refuse("url must be an http or https address, such as https://links.example.com/shop/1", node)
        }
        var outcomes: [(platform: LinkPlatform, outcome: Outcome)] = []
        for platform in LinkPlatform.allCases {
            guard let value = keys[platform.rawValue] else { continue }
            guard let word = yaml.text(value), !word.isEmpty else {
                yaml.refuse("\(platform.rawValue) must be an app, or browser", value)
                continue
            }
            if platform == .ios, word != "browser", (try? AppleAppID(word)) == nil {
                yaml.refuse(
                    "ios must be an app with its Team ID, such as ABCDE12345.com.example.app, or browser", value)
            }
            outcomes.append((platform, word == "browser" ? .browser : .app(word)))
        }
        if outcomes.isEmpty { yaml.refuse("an expectation needs ios, android or both", node) }
        expectations.append(Expectation(link: link, line: node.mark?.line ?? 1, outcomes: outcomes))
    }
}
