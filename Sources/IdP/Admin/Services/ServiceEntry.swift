import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb

/// The entry of a client as the fields of a form: the keys of the clients file, with the same rules.
struct ServiceEntry: Sendable {
    let protocols: ClientProtocols

    private struct Key {
        let name: String
        let label: Text
        var isList = false
        var options: [(value: String, label: Text)] = []
        var hint: Text?
    }

    private static let flags: [(value: String, label: Text)] = [
        ("", Text("admin.default")), ("true", Text("admin.yes")), ("false", Text("admin.no")),
    ]

    /// Those of every client, and those of its protocols.
    private func keys(of protocols: [any ClientProtocolSettings.Type]) -> [Key] {
        let own = [
            Key(name: "name", label: Text("admin.key-name")),
            Key(name: "redirect_uris", label: Text("admin.key-redirect"), isList: true, hint: Text("admin.lines-hint")),
            Key(name: "start_url", label: Text("admin.key-start")),
            Key(
                name: "access", label: Text("admin.key-access"),
                options: [("everyone", Text("admin.everyone")), ("", Text("admin.groups-only"))]),
            Key(name: "groups", label: Text("admin.key-groups"), isList: true, hint: Text("admin.groups-hint")),
            Key(name: "expose_groups", label: Text("admin.key-expose"), isList: true, hint: Text("admin.groups-hint")),
            Key(name: "contact", label: Text("admin.key-contact")),
            Key(name: "hidden", label: Text("admin.key-hidden"), options: Self.flags),
            Key(
                name: "require", label: Text("admin.key-require"),
                options: [("", Text("admin.default"))]
                    + Strength.allCases.map { ($0.rawValue, Text("admin.value", ["value": $0.rawValue])) }),
        ]
        let more = protocols.flatMap { $0.keys }.filter { !$0.traits.contains(.secret) }.map { key in
            Key(
                name: key.name, label: Text("admin.value", ["value": key.name]), isList: key.form == .list,
                options: key.form == .flag ? Self.flags : [], hint: Text("admin.value", ["value": key.meaning]))
        }
        let takesAddresses = protocols.contains { $0.takesRedirectURIs }
        return own.filter { takesAddresses || $0.name != "redirect_uris" } + more
    }

    private func used(_ entry: ClientEntry) -> [any ClientProtocolSettings.Type] {
        guard case .list(let ids)? = entry["protocols"], !ids.isEmpty else { return Array(protocols.all.prefix(1)) }
        return protocols.all.filter { ids.contains($0.id) }
    }

    func fields(of entry: ClientEntry) -> [AdminField] {
        keys(of: used(entry)).map { key in
            let value: String =
                switch entry[key.name] {
                case .text(let text)?: text
                case .list(let items)?: items.joined(separator: "\n")
                case nil: ""
                }
            return AdminField(
                key.name, key.label, hint: key.hint, options: key.options, isArea: key.isList, value: value)
        }
    }

    /// The values that differ from those of the entry; nil removes a key.
    func changes(_ asked: AdminAsked, to entry: ClientEntry) -> [String: ClientEntry.Value?] {
        var changes: [String: ClientEntry.Value?] = [:]
        for key in keys(of: used(entry)) where asked.has(key.name) {
            let value: ClientEntry.Value? =
                key.isList
                ? asked.lines(key.name).isEmpty ? nil : .list(asked.lines(key.name))
                : asked.text(key.name).isEmpty ? nil : .text(asked.text(key.name))
            if value != entry[key.name] { changes.updateValue(value, forKey: key.name) }
        }
        return changes
    }

    /// The client that an entry describes.
    ///
    /// - Parameters:
    ///   - logo: the content that the key `logo` names.
    ///   - labels: of the fields of a form that calls keys otherwise.
    /// - Throws: ``AdminProblems`` by the names of the keys.
    func check(_ entry: ClientEntry, logo: [UInt8]?, labels: [String: Text] = [:]) throws -> Client {
        var problems: [(field: String, text: Text)] = []
        let id = if case .text(let id)? = entry["id"] { id } else { "" }
        let client = entry.client(
            of: protocols, secrets: [], logo: logo, place: { "\($0)\u{1}" },
            problem: { problem in
                let parts = problem.split(separator: "\u{1}", maxSplits: 1).map(String.init)
                let text = parts.last.map { String($0.drop { $0 == ":" || $0 == " " }) } ?? problem
                // A key that is missing has no place of its own.
                let first = String(text.prefix { $0 != " " })
                let field = protocols.entryKeys.contains(first) ? first : parts.count == 2 ? parts[0] : "name"
                let label = labels[field] ?? keys(of: used(entry)).first { $0.name == field }?.label
                problems.append((field, Self.words(text, field, label ?? Text("admin.value", ["value": field]), id)))
            })
        guard let client, problems.isEmpty else { throw AdminProblems(problems) }
        return client
    }

    /// The page itself names the key and the service, and shows no line of a file.
    private static func words(_ problem: String, _ key: String, _ label: Text, _ id: String) -> Text {
        var words = problem[...]
        // An id that is wrong itself is not repeated.
        for start in ["\(key) of \"\(id)\": ", "\(key) of \"?\": ", "\(key) "] where words.hasPrefix(start) {
            words = words.dropFirst(start.count)
        }
        if let example = words.firstRange(of: " For example \(key): ") { words = words[..<example.lowerBound] }
        if words.hasPrefix("is missing.") || words.hasPrefix("must not be empty.") {
            return Text("admin.key-empty", ["key": label])
        }
        return Text("admin.key-problem", ["key": label, "problem": EnglishWords(AdminWriter.cut(String(words)))])
    }
}

/// What to paste into the settings of a service, by its protocols.
enum ServiceLines {
    /// - Parameter secret: shown here, and never again.
    static func blocks(
        of client: Client, secret: String, _ desk: AdminDesk
    ) -> @Sendable (AdminWriter) -> [AdminPage.Block] {
        let lines = client.protocols.flatMap {
            $0.lines(
                for: client, secret: client.hasNoSecret ? nil : secret, issuer: desk.parts.origin.text,
                program: desk.program)
        }
        return { writer in
            lines.map { file, text in
                writer.code(
                    file.map { Text("admin.service-file", ["name": $0]) } ?? Text("admin.service-lines"), text)
            }
        }
    }
}
