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
    private var keys: [String] {
        let known = ClientEntryReader.keys.filter { values[$0] != nil }
        return known + values.keys.filter { !ClientEntryReader.keys.contains($0) }.sorted()
    }

    private var lines: [String] { keys.map { "\($0): \(values[$0]?.yaml ?? "")" } }

    /// The stored form.
    var text: String { lines.joined(separator: "\n") }

    /// The key that a line of the text is about, from 1.
    func key(ofLine line: Int) -> String { keys.indices.contains(line - 1) ? keys[line - 1] : "id" }

    /// The entry for the clients file, with a placeholder for the secrets.
    package var fileText: String {
        let id = if case .text(let id)? = values["id"] { id } else { "" }
        let all = lines + ["secrets: [\(JSONText.string("file:/etc/swift-sso/secrets/\(id)"))]"]
        return "  - " + all.joined(separator: "\n    ")
    }

    /// The client that it describes. Nil after a problem.
    ///
    /// - Parameters:
    ///   - logo: the content of the logo that it names.
    ///   - place: the beginning of a message about a key.
    package func client(
        secrets: [SharedSecret], logo: [UInt8]?, place: @escaping (String) -> String,
        problem: @escaping (String) -> Void
    ) -> Client? {
        let file = SettingsFile(place: { place(key(ofLine: $0)) }, problem: problem)
        guard let node = file.mapping(text) else { return nil }
        let reader = ClientEntryReader(file: file) { try LogoFile(logo ?? [], name: $0) }
        var client = reader.client(node) { _, _ in secrets }
        client?.origin = .database
        return client
    }
}
