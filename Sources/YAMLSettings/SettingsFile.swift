import Foundation
import SSOShared
package import SSOWeb
package import Yams

/// Reads a YAML file that a setting names. Every problem names setting, file, line and key. Unknown keys are problems,
/// because a misspelt `redirect_uris` that is ignored is hard to find.
///
/// Its methods do not throw, so that an operator sees all problems at once and not one per start.
package final class SettingsFile {
    /// The name of the setting, with which every problem begins.
    let setting: String
    package let path: String
    /// How many problems were reported so far.
    package private(set) var problemCount = 0
    private let report: (String) -> Void
    /// The lines of the file.
    private var lines: [Substring] = []
    package let warn: (String) -> Void
    /// The beginning of messages about a line of an entry that is in no file.
    private let placeOfLine: ((Int) -> String)?

    /// - Parameter warn: receives what others of this machine can do with the file, or with one that holds a secret of it.
    package init(
        setting: String, path: String, problem: @escaping (String) -> Void,
        warn: @escaping (String) -> Void = { _ in }
    ) {
        (self.setting, self.path, report, self.warn, placeOfLine) = (setting, path, problem, warn, nil)
    }

    /// For one entry that is in no file (``mapping(_:)``).
    ///
    /// - Parameter place: the beginning of a message about a line of its text.
    package init(place: @escaping (Int) -> String, problem: @escaping (String) -> Void) {
        (setting, path, report, warn, placeOfLine) = ("", "", problem, { _ in }, place)
    }

    /// The node of an entry that is in no file. Nil after a problem.
    package func mapping(_ text: String) -> Node? {
        guard let node = try? Yams.compose(yaml: text), node.mapping != nil else {
            problem("\(placeOfLine?(1) ?? setting): contains a character that text does not have.")
            return nil
        }
        return node
    }

    /// The items of the list that is the only key of the file.
    ///
    /// - Parameters:
    ///   - what: what the file is, for messages, such as `clients file`.
    ///   - example: a file to look at.
    package func list(_ key: String, what: String, example: String) -> [Node] {
        guard let file = RegularFile.open(path), let data = try? file.read(upToCount: (1 << 20) + 1) ?? Data() else {
            problem("\(setting): cannot read \(path). Check the path and the permissions.")
            return []
        }
        FileAccess.warning(ofSettings: path, setting: setting).map(warn)
        guard data.count <= 1 << 20, let text = Entered.file(data) else {
            problem("\(setting): \(path) must be UTF-8 text of at most 1 MiB.")
            return []
        }
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        do {
            guard let root = try Yams.compose(yaml: text) else {
                problem("\(setting): \(path): is empty. It must have a list called \(key), as in \(example).")
                return []
            }
            guard let keys = keys(of: root, known: [key], what: what) else { return [] }
            guard let list = keys[key]?.sequence else {
                return refuse("\(key) must be a list, as in \(example).", root) ?? []
            }
            return Array(list)
        } catch {
            problem("\(setting): \(path):\(Self.words(error))")
            return []
        }
    }

    /// Reads the logo that an entry names: beside this file, wherever the program was started, or at an absolute path.
    package func logo(_ name: String) throws -> LogoFile {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let place = name.hasPrefix("/") ? name : folder + name
        FileAccess.warning(ofSettings: place, setting: setting).map(warn)
        return try LogoFile(path: place)
    }

    /// A mapping with its known keys. Nil when the node is no mapping. Unknown keys are reported.
    ///
    /// - Parameters:
    ///   - what: what the mapping describes, such as `client`.
    ///   - example: an example of the value of a key.
    package func entry(_ node: Node, known: [String], what: String, example: @escaping (String) -> String)
        -> SettingsFileEntry?
    {
        keys(of: node, known: known, what: what).map {
            SettingsFileEntry(file: self, node: node, keys: $0, example: example)
        }
    }

    /// Reports a problem as it is.
    package func problem(_ text: String) {
        problemCount += 1
        report(text)
    }

    /// Reports a problem with its place.
    ///
    /// - Returns: nil, always.
    package func refuse<T>(_ words: String, _ node: Node) -> T? {
        let text = node.scalar?.string ?? ""
        let hints =
            UnseenCharacter.sentence(about: text, after: words) + InternationalDomain.hint(about: text, after: words)
        problem("\(place(of: node)): \(words)\(hints)")
        return nil
    }

    /// The beginning of every message about a node: setting, path and line, or what stands for them.
    package func place(of node: Node) -> String {
        placeOfLine.map { $0(line(node)) } ?? "\(setting): \(path):\(line(node))"
    }

    package func line(_ node: Node) -> Int { node.mark?.line ?? 1 }

    /// Warns of a name that ends before a `#` which hardly begins a comment: `Shop #1`, `Shop # 1`. A comment of YAML begins at
    /// every `#` with a blank before it (YAML 1.2, 6.6).
    ///
    /// - Parameter mayHaveBlanks: whether the text can go on after a blank. Of any other one only `abc #1` is a warning.
    func warnOfComment(after name: String, _ node: Node, mayHaveBlanks: Bool) {
        guard let scalar = node.scalar, scalar.style == .plain, lines.indices.contains(line(node) - 1) else { return }
        let line = lines[line(node) - 1]
        guard
            let blank = line.indices.first(where: {
                line[$0].isWhitespace && line[line.index(after: $0)...].first == "#"
            })
        else { return }
        let head = line[...blank]
        let text = head.dropLast(head.reversed().prefix(while: \.isWhitespace).count)
        let isOneBlank = text.endIndex == blank
        let isJoined = line[blank...].dropFirst(2).first?.isWhitespace == false
        guard text.hasSuffix(scalar.string), isOneBlank && mayHaveBlanks || isJoined else { return }
        warn(
            "\(place(of: node)): \(name) ends before the #, because the rest of the line is a comment. To keep it, put the text "
                + "in quotation marks. Begin a comment with two blanks, # and a blank.")
    }

    private func keys(of node: Node, known: [String], what: String) -> [String: Node]? {
        guard let mapping = node.mapping else { return refuse("a \(what) must be a mapping of keys to values.", node) }
        var result: [String: Node] = [:]
        for (key, value) in mapping {
            let name = key.string ?? ""
            guard known.contains(name) else {
                let unseen = UnseenCharacter.sentence(about: name, after: "", subject: "The key")
                problem(
                    "\(place(of: key)): unknown key \"\(name)\".\(unseen) The keys are \(known.joined(separator: ", "))."
                )
                continue
            }
            result[name] = value
        }
        return result
    }

    /// The line and what is wrong there, without the text of that line: it may contain a secret.
    private static func words(_ error: any Error) -> String {
        switch error {
        case let YamlError.scanner(context, problem, mark, yaml), let YamlError.parser(context, problem, mark, yaml),
            let YamlError.composer(context, problem, mark, yaml):
            let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
            let line = lines.indices.contains(mark.line - 1) ? lines[mark.line - 1] : nil
            return "\(mark.line): \(YAMLFault.words(problem, in: context?.text ?? "", at: line))"
        case let YamlError.reader(_, offset, _, yaml):
            return
                "\(1 + yaml.utf8.prefix(offset ?? 0).count { $0 == 0x0a }): contains a character that text does not have, such as a control character. Remove it."
        case let YamlError.duplicatedKeysInMapping(keys, context):
            return
                "\(context.mark.line): the key \(keys.joined(separator: ", ")) appears twice. Its first place is here."
        default: return " is not valid YAML."
        }
    }
}
