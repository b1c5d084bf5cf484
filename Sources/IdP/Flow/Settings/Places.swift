package import SSOWeb

/// The networks that have a name (`IDP_PLACES`): an email says in words where its code was asked for.
///
/// The name is the operator's own (docs/decisions/0086-places-with-a-name.md).
package struct Places: Sendable {
    package static let setting = Setting(
        "IDP_PLACES", .empty, example: "10.1.0.0/16=Office Berlin, 10.8.0.0/16=VPN",
        "Names of networks as NETWORK=NAME, separated by commas; the first that fits counts. An email with a code says from which one it was requested, or that it was none of them."
    ) { try Places($0) }

    private let all: [(network: Network, name: String)]

    /// Reads the setting: `NETWORK=Name`, separated by commas.
    ///
    /// - Throws: ``SettingError`` with the problems of all items.
    package init(_ text: String) throws {
        let items = text.split(separator: ",").filter { !$0.allSatisfy(\.isWhitespace) }
        all = try items.readAll(Self.read)
    }

    private static func read(_ item: Substring) throws -> (Network, String) {
        guard let equals = item.firstIndex(of: "=") else {
            throw SettingError("\"\(item.words)\" has no name. Use, for example, 10.1.0.0/16=Office Berlin.")
        }
        let name = String(item[item.index(after: equals)...])
        let shown: String
        do { shown = try DisplayName.ofSetting(name) } catch {
            throw SettingError("\"\(item.words)\": the name after = \(error)")
        }
        do { return (try Network(item[..<equals].words), shown) } catch {
            throw SettingError("\(error) The network stands before the name: 10.1.0.0/16=Office Berlin.")
        }
    }

    /// The name of the first network in the list that has the address. Empty outside of all of them; nil where no network has a
    /// name, or the address is not known.
    package func name(of address: IPAddress?) -> String? {
        guard !all.isEmpty, let address else { return nil }
        return all.first { $0.network.contains(address) }?.name ?? ""
    }
}

extension Substring {
    /// Without blanks around it, and one between words.
    fileprivate var words: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
