import WellKnown
import Yams

/// The file `.wellknown.yaml`: findings that a team accepts, each with its reason, and a baseline.
///
/// Unknown codes are errors, because a misspelled one would leave nothing out.
struct IgnoreFile {
    struct Entry {
        let code: String
        /// The end of a file's path, in which a star is any text. `nil` for every file.
        let path: String?
        let line: Int

        func matches(_ finding: Finding, in file: String) -> Bool {
            guard code == finding.code else { return false }
            guard let path else { return true }
            let name = finding.file ?? file
            return Wildcard.matches(name, path) || Wildcard.matches(name, "*/" + path)
        }
    }

    let name: String
    let entries: [Entry]
    /// The path of the baseline, as seen from the folder of the file.
    let baseline: String?

    /// The name that is looked for in the current folder.
    static let standardName = ".wellknown.yaml"

    init(reading name: String) throws(YAMLFile.ReadError) {
        self.name = name
        var yaml = try YAMLFile(name, limit: 1 << 20)
        let keys = yaml.members(yaml.root, known: ["ignore", "baseline"]) ?? [:]
        baseline = keys["baseline"]?.string
        if let node = keys["baseline"], baseline == nil { yaml.refuse("baseline must be the name of a file", node) }
        if let node = keys["ignore"], node.sequence == nil {
            yaml.refuse("ignore must be a list of entries with code and reason", node)
        }
        entries = (keys["ignore"]?.sequence.map(Array.init) ?? []).compactMap { Self.entry($0, &yaml) }
        try yaml.finish()
    }

    private static func entry(_ node: Node, _ yaml: inout YAMLFile) -> Entry? {
        guard let keys = yaml.members(node, known: ["code", "path", "reason"]) else { return nil }
        let reason = keys["reason"]?.string ?? ""
        guard let code = keys["code"]?.string else {
            yaml.refuse("an entry needs code, as in code: pat.login-links", node)
            return nil
        }
        if let unknown = IgnoreList.unknown(code) { yaml.refuse(unknown, keys["code"] ?? node) }
        if reason.allSatisfy(\.isWhitespace) { yaml.refuse("the entry for \(code) needs a reason", node) }
        return Entry(code: code, path: keys["path"]?.string, line: node.mark?.line ?? 1)
    }
}
