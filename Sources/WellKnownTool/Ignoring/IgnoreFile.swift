import Foundation
import WellKnown
import Yams

/// The file `.wellknown.yaml`: findings that a team accepts, each with its reason, and a baseline.
///
/// Unknown keys and codes are errors, because a misspelled one would leave nothing out.
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

    /// One line for each error, with the line of the file.
    struct ReadError: Error { let lines: [String] }

    let name: String
    private(set) var entries: [Entry] = []
    /// The path of the baseline, as seen from the folder of the file.
    private(set) var baseline: String?
    private var faults: [String] = []

    /// The name that is looked for in the current folder.
    static let standardName = ".wellknown.yaml"
    private static let maximumBytes = 1 << 20

    init(reading name: String) throws(ReadError) {
        self.name = name
        let data: Data
        do throws(InputError) { data = try InputBytes.read(name, limit: Self.maximumBytes) } catch {
            throw ReadError(lines: ["\(name.printable): \(error)"])
        }
        do {
            guard let root = try Yams.compose(yaml: String(decoding: data, as: UTF8.self)) else { return }
            read(root)
        } catch {
            throw ReadError(lines: ["\(name.printable): it is not valid YAML: \("\(error)".printable)"])
        }
        guard faults.isEmpty else { throw ReadError(lines: faults) }
    }

    private mutating func fault(_ text: String, at node: Node) {
        faults.append("\(name.printable):\(node.mark?.line ?? 1): \(text)")
    }

    private mutating func read(_ root: Node) {
        for (key, node) in members(root, ["ignore", "baseline"]) {
            if key == "baseline" {
                if let text = node.string {
                    baseline = text
                } else {
                    fault("baseline must be the name of a file", at: node)
                }
                continue
            }
            guard let items = node.sequence else {
                fault("ignore must be a list of entries with code and reason", at: node)
                continue
            }
            for item in items { entry(item) }
        }
    }

    private mutating func entry(_ node: Node) {
        let keys = Dictionary(members(node, ["code", "path", "reason"])) { first, _ in first }
        guard let code = keys["code"]?.string else {
            return fault("an entry needs code, as in code: pat.login-links", at: node)
        }
        if let unknown = IgnoreList.unknown(code) { return fault(unknown, at: keys["code"] ?? node) }
        guard let reason = keys["reason"]?.string, !reason.allSatisfy(\.isWhitespace) else {
            return fault("the entry for \(code) needs a reason", at: node)
        }
        entries.append(Entry(code: code, path: keys["path"]?.string, line: node.mark?.line ?? 1))
    }

    private mutating func members(_ node: Node, _ known: [String]) -> [(String, Node)] {
        guard let mapping = node.mapping else {
            fault("it must have the keys \(known.joined(separator: ", "))", at: node)
            return []
        }
        return mapping.compactMap { key, value in
            guard let name = key.string, known.contains(name) else {
                let near = key.string.flatMap { IgnoreList.nearest($0, known) }
                fault(
                    "unknown key \((key.string ?? "").quotedKey)\(near.map { ": did you mean \($0)?" } ?? "")", at: key)
                return nil
            }
            return (name, value)
        }
    }
}

extension String {
    fileprivate var quotedKey: String { "\"\(printable)\"" }
}
