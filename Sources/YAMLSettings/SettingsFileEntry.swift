import SSOWeb
package import Yams

/// One mapping of a ``SettingsFile``: reads the values of its keys and reports what is wrong with them.
package struct SettingsFileEntry {
    /// A text and its place.
    package typealias Text = (value: String, node: Node)

    let file: SettingsFile
    package let node: Node
    package let keys: [String: Node]
    /// The words that show a valid value of a key.
    package let example: (String) -> String

    /// The keys whose text users see. Others have no blanks.
    private static let freeTexts = ["name", "label"]
    /// The keys whose text another program has made, so that it may have a `#`.
    private static let givenTexts = ["id", "client_id", "client_secret", "secrets", "key_id", "app_id", "team_id"]

    package func has(_ name: String) -> Bool { keys[name] != nil }

    /// Whether a key has a value: `key:` alone has none. For keys that mean the same without a value and when they are missing.
    package func hasValue(_ name: String) -> Bool { keys[name].map { !$0.isWithoutValue } ?? false }

    /// The same for a key whose value is a list: `key: []` has none, either.
    package func hasItems(_ name: String) -> Bool { hasValue(name) && keys[name]?.sequence?.isEmpty != true }

    /// The text of a required key.
    package func text(_ name: String) -> Text? {
        guard let node = keys[name] else { return refuse("\(name) is missing. \(example(name))") }
        guard let scalar = node.scalar else { return file.refuse("\(name) must be text. \(example(name))", node) }
        guard scalar.string.isEmpty || !node.isWithoutValue else {
            return file.refuse(
                "\(name) must not be empty. \(scalar.string) means no value in YAML; put such a text in quotation marks. "
                    + example(name), node)
        }
        warnOfComment(after: name, node)
        guard !scalar.string.isEmpty else { return file.refuse("\(name) must not be empty. \(example(name))", node) }
        return (scalar.string, node)
    }

    /// The text of a required key that users see as a name.
    package func displayName(_ key: String) -> String? {
        guard let name = text(key) else { return nil }
        return DisplayName.ofClient(name.value)
            ?? file.refuse("\(key) \(DisplayName.problem(ofClient: name.value))", name.node)
    }

    /// The items of a required key whose value is a list.
    package func texts(_ name: String) -> [Text]? {
        guard let node = keys[name] else { return refuse("\(name) is missing. \(example(name))") }
        guard let items = node.sequence, !items.isEmpty else {
            return file.refuse("\(name) must be a list with at least one item. \(example(name))", node)
        }
        let texts = items.compactMap { item in item.scalar.map { ($0.string, item) } }
        guard texts.count == items.count else {
            return file.refuse("\(name) must be a list of text items. \(example(name))", node)
        }
        for item in items { warnOfComment(after: name, item) }
        return texts
    }

    private func warnOfComment(after name: String, _ node: Node) {
        let mayHaveBlanks = Self.freeTexts.contains(name)
        guard mayHaveBlanks || Self.givenTexts.contains(name) else { return }
        file.warnOfComment(after: name, node, mayHaveBlanks: mayHaveBlanks)
    }

    /// The text of a key that may be missing. Nil also after a problem.
    package func optionalText(_ name: String) -> Text? { has(name) ? text(name) : nil }

    /// The items of a key that may be missing. Nil also after a problem. An item that appears twice is a problem.
    package func optionalTexts(_ name: String) -> [Text]? {
        guard has(name), let texts = texts(name) else { return nil }
        for (index, text) in texts.enumerated()
        where texts[..<index].contains(where: { $0.value.utf8.elementsEqual(text.value.utf8) }) {
            problem("\(name): \"\(text.value)\" appears twice.", at: text.node)
        }
        return texts
    }

    /// `true` or `false`.
    package func flag(_ name: String, default fallback: Bool) -> Bool {
        guard let text = optionalText(name) else { return fallback }
        return Bool(text.value)
            ?? file.refuse("\(name) \"\(text.value)\" must be true or false. \(example(name))", text.node) ?? fallback
    }

    /// One of a few words. Nil for another one, which is a problem, and for a key that is missing.
    package func choice<Value: RawRepresentable & CaseIterable>(_ name: String, _ type: Value.Type = Value.self)
        -> Value?
    where Value.RawValue == String {
        guard let text = optionalText(name) else { return nil }
        return Value(rawValue: text.value)
            ?? file.refuse("\(name) \"\(text.value)\" must be \(Self.list(Value.allCases.map(\.rawValue))).", text.node)
    }

    /// Reports a problem at the place of a key, or of the whole entry when the key is missing.
    ///
    /// - Returns: nil, always.
    package func refuse<T>(_ words: String, at name: String? = nil) -> T? {
        file.refuse(words, name.flatMap { keys[$0] } ?? node)
    }

    /// Reports a problem at the place of a key, or of the whole entry when the key is missing.
    package func problem(_ words: String, at name: String) { problem(words, at: keys[name] ?? node) }

    /// Reports a problem at a place in the entry.
    package func problem(_ words: String, at node: Node) { let _: Node? = file.refuse(words, node) }

    /// `a, b or c`.
    package static func list(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.joined() }
        return "\(words.dropLast().joined(separator: ", ")) or \(last)"
    }
}

extension Node {
    /// The null of YAML 1.2 (10.3.2). Text in quotes is never it.
    fileprivate var isWithoutValue: Bool {
        guard let scalar = self.scalar, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }
}
