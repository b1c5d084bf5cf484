import SSOShared
import SSOWeb
import YAMLSettings

/// What the clients file, the commands and the documents say of a key of a client's entry.
package struct ClientKeyDescription: Sendable {
    /// What the value is in YAML.
    package enum Form: Sendable {
        /// `true` or `false`.
        case flag
        case text
        case list
    }

    package enum Trait: Sendable {
        /// It has addresses that a command may have to warn of (``Client/addressWarnings``).
        case address
        /// Its value is a secret. No option sets it, because other users of the machine can read a command line.
        case secret
    }

    /// The option of `idp client add` and `idp client set`.
    package struct Option: Sendable {
        package let help: String
        /// Without `--`.
        package let name: String
        /// What `--help` calls its value, if not by the option's own name.
        package let valueName: String?

        /// - Parameter name: nil for the name of the key with `-` in place of `_`.
        package init(_ help: String, name: String? = nil, value valueName: String? = nil) {
            (self.name, self.valueName, self.help) = (name ?? "", valueName, help)
        }
    }

    package let name: String
    package let form: Form
    /// A valid value, as in YAML.
    package let example: String
    /// What holds without the key, as in YAML; nil for nothing.
    package let defaultValue: String?
    /// Its row in the documents.
    package let meaning: String
    package let option: Option
    package let traits: Set<Trait>

    package init(
        _ name: String, _ form: Form, default defaultValue: String? = nil, example: String, option: Option,
        meaning: String, _ traits: Set<Trait> = []
    ) {
        (self.name, self.form, self.defaultValue, self.example) = (name, form, defaultValue, example)
        (self.meaning, self.traits) = (meaning, traits)
        self.option =
            option.name.isEmpty
            ? Option(option.help, name: name.split(separator: "_").joined(separator: "-"), value: option.valueName)
            : option
    }

    /// Its row in the table of a document.
    package var row: String { "| `\(name)` | \(defaultValue.map { "`\($0)`" } ?? "none") | \(meaning) |" }
}

/// A key of a client's entry: its name, type, rule, default and example, and its words, in one place. The reader of the clients
/// file, `idp client` and the documents are made of it.
package struct ClientKey<Value: Sendable>: Sendable {
    package let description: ClientKeyDescription
    let read: @Sendable (ClientKeyReader) -> Value?
}

extension ClientKey where Value == Bool {
    package static func flag(
        _ name: String, default fallback: Bool, option: ClientKeyDescription.Option, _ meaning: String
    ) -> ClientKey {
        ClientKey(
            description: .init(
                name, .flag, default: fallback ? "true" : "false", example: "true", option: option, meaning: meaning)
        ) { $0.flag(name, fallback) }
    }
}

extension ClientKey where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of a few words.
    package static func choice(
        _ name: String, default fallback: Value, option: ClientKeyDescription.Option, _ meaning: String
    ) -> ClientKey {
        ClientKey(
            description: .init(
                name, .text, default: fallback.rawValue, example: fallback.rawValue, option: option, meaning: meaning)
        ) { $0.entry.has(name) ? $0.entry.choice(name, Value.self) : fallback }
    }
}

extension ClientKey where Value == String? {
    /// A text that may be missing.
    package static func text(
        _ name: String, example: String, option: ClientKeyDescription.Option, _ meaning: String,
        _ traits: Set<ClientKeyDescription.Trait> = [],
        check: @escaping @Sendable (String, ClientKeyReader) throws -> Void
    ) -> ClientKey {
        ClientKey(
            description: .init(name, .text, example: example, option: option, meaning: meaning, traits)
        ) { reader in reader.optional(name) { try check($0, reader) } }
    }
}

extension ClientKey where Value == [String] {
    /// A list that may be empty, which means the same as none.
    package static func list(
        _ name: String, maximum: Int, example: String, option: ClientKeyDescription.Option, _ meaning: String,
        _ traits: Set<ClientKeyDescription.Trait> = [],
        check: @escaping @Sendable (String, ClientKeyReader) throws -> Void
    ) -> ClientKey {
        ClientKey(
            description: .init(name, .list, example: example, option: option, meaning: meaning, traits)
        ) { reader in
            reader.optionalList(name, maximum: maximum) { try check($0, reader) }.map { $0 ?? [] }
        }
    }
}

extension ClientKey {
    /// A list of some of a few words. It has a default, and an empty one is a problem: who writes one hardly means that.
    package static func choices<Item>(
        _ name: String, default fallback: [Item], example: String, option: ClientKeyDescription.Option,
        _ meaning: String, lacks problem: @escaping @Sendable ([Item]) -> String?
    ) -> ClientKey where Value == [Item], Item: RawRepresentable & CaseIterable & Sendable, Item.RawValue == String {
        let usual = fallback.map(\.rawValue)
        return ClientKey(
            description: .init(
                name, .list, default: "[\(usual.joined(separator: ", "))]", example: example, option: option,
                meaning: meaning)
        ) { reader in
            let list = reader.list(name, maximum: Item.allCases.count, default: usual) { text in
                guard Item(rawValue: text) != nil else {
                    throw SettingError(
                        "\"\(text)\" must be \(SettingsFileEntry.list(Item.allCases.map(\.rawValue))).")
                }
            }
            guard let items = list?.compactMap(Item.init) else { return nil }
            if let problem = problem(items) { return reader.refuse(name, problem) }
            return items
        }
    }
}
