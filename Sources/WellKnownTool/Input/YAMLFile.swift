import Foundation
import SSOShared
import Yams

/// A YAML file that the user writes. Every error names the file and the line. Unknown keys are errors, because a
/// misspelled one would have no effect.
struct YAMLFile {
    /// All errors of a file, one line each.
    struct ReadError: Error {
        let lines: [String]
        /// Whether the file could not be read at all.
        var isUnreadable = false
    }

    /// The name for messages.
    let name: String
    /// `nil` for an empty file.
    let root: Node?
    private(set) var faults: [String] = []

    init(_ name: String, limit: Int) throws(ReadError) {
        self.name = name.printable
        let data: Data
        do throws(InputError) { data = try InputBytes.read(name, limit: limit) } catch {
            throw ReadError(lines: ["\(name.printable): \(error)"], isUnreadable: true)
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ReadError(lines: ["\(name.printable): it is not text in UTF-8"])
        }
        do { root = try Yams.compose(yaml: text) } catch {
            throw ReadError(lines: ["\(name.printable):\(Self.words(error))"])
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let YamlError.scanner(_, problem, mark, _), let YamlError.parser(_, problem, mark, _),
            let YamlError.composer(_, problem, mark, _):
            "\(mark.line): it is not valid YAML: \(problem.printable)"
        case let YamlError.duplicatedKeysInMapping(keys, context):
            "\(context.mark.line): the key \(keys.joined(separator: ", ").printable) appears twice"
        default: " it is not valid YAML"
        }
    }

    /// - Throws: ``ReadError`` for an empty file.
    func content() throws(ReadError) -> Node {
        guard let root else { throw ReadError(lines: ["\(name): it is empty"]) }
        return root
    }

    mutating func refuse(_ words: String, _ node: Node) { faults.append("\(name):\(node.mark?.line ?? 1): \(words)") }

    /// - Throws: ``ReadError`` if a node was refused.
    func finish() throws(ReadError) { if !faults.isEmpty { throw ReadError(lines: faults) } }

    /// The members of a mapping. `nil` for another node, and without one.
    ///
    /// - Parameter known: the keys that the mapping may have, or `nil` for any.
    mutating func members(_ node: Node?, known: [String]? = nil) -> [String: Node]? {
        guard let node else { return nil }
        let names = known?.joined(separator: ", ")
        guard let mapping = node.mapping else {
            refuse(names.map { "it must have the keys \($0)" } ?? "keys and values are expected here", node)
            return nil
        }
        var members: [String: Node] = [:]
        for (key, value) in mapping {
            let name = key.scalar?.string ?? ""
            if let known, let names, !known.contains(name) {
                let near = SpellingSuggestion.of(name, among: known)
                let hint = near.map { ": did you mean \($0)?" } ?? "; known are \(names)"
                refuse("unknown key \"\(name.printable)\"\(hint)", key)
            } else {
                members[name] = value
            }
        }
        return members
    }

    /// The text of a scalar. `nil` without a node.
    mutating func text(_ node: Node?) -> String? {
        guard let node else { return nil }
        if node.scalar == nil { refuse("a text is expected here", node) }
        return node.scalar?.string
    }

    /// The elements of a list. Empty without a node.
    mutating func list(_ node: Node?) -> [Node] {
        guard let node else { return [] }
        if node.sequence == nil { refuse("a list is expected here", node) }
        return node.sequence.map(Array.init) ?? []
    }
}
