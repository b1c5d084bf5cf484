import ArgumentParser
import IdPClients
import IdPServer

/// Some keys of the client protocols, as options.
protocol OptionKeys {
    static var keys: [ClientKeyDescription] { get }
}

/// The keys of the protocol that a client uses whose entry names none.
enum UsualProtocolKeys: OptionKeys {
    static var keys: [ClientKeyDescription] { ClientProtocols.builtIn.all.prefix(1).flatMap { $0.keys } }
}

/// The keys of the other protocols, and the one that names all that a client uses.
enum OtherProtocolKeys: OptionKeys {
    static var keys: [ClientKeyDescription] {
        [protocols] + ClientProtocols.builtIn.all.dropFirst().flatMap { $0.keys }
    }

    private static var protocols: ClientKeyDescription {
        let ids = ClientProtocols.builtIn.ids
        let words = "\(ids.dropLast().joined(separator: ", ")) or \(ids.last ?? "")"
        return ClientKeyDescription(
            "protocols", .list, default: "[\(ids.first ?? "")]", example: "[\(ids.joined(separator: ", "))]",
            option: .init(
                "How the client asks for a sign-in: \(words); may be repeated.", name: "protocol", value: "name"),
            meaning: "how the client asks for a sign-in")
    }
}

/// Keys of a client's entry as options of `idp client add` and `idp client set`, made of their declarations.
///
/// ArgumentParser finds the options of a type by reflection, and decodes each by its name. Both are answered from the list.
struct ProtocolOptions<Keys: OptionKeys>: ParsableArguments, CustomReflectable {
    /// The keys that are given.
    let values: [String: ClientEntry.Value]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Those that an option may set.
    private static var keys: [ClientKeyDescription] { Keys.keys.filter { !$0.traits.contains(.secret) } }

    init() { values = [:] }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var values: [String: ClientEntry.Value] = [:]
        for key in Self.keys {
            let name = Key(stringValue: key.name)
            switch key.form {
            case .flag:
                let flag = try container.decode(Flag<Bool?>.self, forKey: name).wrappedValue
                values[key.name] = flag.map { .text($0 ? "true" : "false") }
            case .text:
                values[key.name] = try container.decode(Option<String?>.self, forKey: name).wrappedValue.map {
                    .text($0)
                }
            case .list:
                let items = try container.decode(Option<[String]>.self, forKey: name).wrappedValue
                if !items.isEmpty { values[key.name] = .list(items) }
            }
        }
        self.values = values
    }

    var customMirror: Mirror {
        Mirror(self, children: Self.keys.map { (label: $0.name, value: Self.option($0)) })
    }

    private static func option(_ key: ClientKeyDescription) -> Any {
        let name = NameSpecification.customLong(key.option.name)
        let help = ArgumentHelp(stringLiteral: key.option.help)
        let valued = key.option.valueName.map { ArgumentHelp(key.option.help, valueName: $0) } ?? help
        return switch key.form {
        case .flag: Flag<Bool?>(name: name, inversion: .prefixedNo, help: help)
        case .text: Option<String?>(name: name, help: valued)
        case .list: Option<[String]>(wrappedValue: [], name: name, parsing: .singleValue, help: valued)
        }
    }
}
