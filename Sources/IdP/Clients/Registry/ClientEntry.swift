package import SSOShared
import SSOWeb
import YAMLSettings
import Yams

/// The entry of a client that is in the database: the keys of the clients file, without the secrets.
///
/// Its text is YAML with one key on a line. So the code that reads the file reads it as well, and it can be copied there.
package struct ClientEntry: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case text(String)
        case list([String])

        fileprivate var yaml: String {
            switch self {
            case .text(let text): JSONText.string(text)
            case .list(let items): "[\(items.map(JSONText.string).joined(separator: ", "))]"
            }
        }
    }

    private var values: [String: Value]

    package init(id: String) { values = ["id": .text(id)] }

    /// Reads a stored text. Nil for one that no version has written.
    init?(text: String) {
        guard let mapping = (try? Yams.compose(yaml: text))?.mapping else { return nil }
        values = [:]
        for (key, node) in mapping {
            guard let key = key.string else { return nil }
            if let items = node.sequence {
                values[key] = .list(items.compactMap { $0.scalar?.string })
            } else {
                values[key] = .text(node.scalar?.string ?? "")
            }
        }
    }

    /// Nil removes a key.
    package subscript(key: String) -> Value? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// The known keys in their order, then those of a later version.
    private func keys(of protocols: ClientProtocols) -> [String] {
        let known = protocols.entryKeys
        return known.filter { values[$0] != nil } + values.keys.filter { !known.contains($0) }.sorted()
    }

    private func lines(of protocols: ClientProtocols) -> [String] {
        keys(of: protocols).map { "\($0): \(values[$0]?.yaml ?? "")" }
    }

    /// The stored form.
    func text(of protocols: ClientProtocols) -> String { lines(of: protocols).joined(separator: "\n") }

    /// The entry for the clients file, with a placeholder for the secrets of a client that has some.
    package func fileText(of protocols: ClientProtocols) -> String {
        let id = if case .text(let id)? = values["id"] { id } else { "" }
        let listed: [String] = if case .list(let ids)? = values["protocols"] { ids } else { [] }
        let hasNoSecret = values["public"] == .text("true") || protocols.haveNoSecret(listed)
        let secrets = "secrets: [\(JSONText.string("credential:\(id)"))]"
        let all = lines(of: protocols) + (hasNoSecret ? [] : [secrets])
        return "  - " + all.joined(separator: "\n    ")
    }

    /// The client that it describes. Nil after a problem.
    ///
    /// - Parameters:
    ///   - logo: the content of the logo that it names.
    ///   - place: the beginning of a message about a key.
    package func client(
        of protocols: ClientProtocols, secrets: [SharedSecret], logo: [UInt8]?,
        place: @escaping (String) -> String, problem: @escaping (String) -> Void
    ) -> Client? {
        // One key is on each line.
        let keys = keys(of: protocols)
        let file = SettingsFile(
            place: { place(keys.indices.contains($0 - 1) ? keys[$0 - 1] : "id") }, problem: problem)
        guard let node = file.mapping(text(of: protocols)) else { return nil }
        let reader = ClientEntryReader(file: file, of: protocols) { try LogoFile(logo ?? [], name: $0) }
        var client = reader.client(node) { _, _ in secrets }
        client?.origin = .database
        return client
    }
}
