import Foundation
import SSOShared
import SSOWeb
import Yams

/// Reads `IDP_CLIENTS_FILE`. Every problem names file, line and key. Unknown keys are problems, because a misspelt
/// `redirect_uris` that is ignored is hard to find.
struct ClientsFile {
    let path: String
    /// Where `env:NAME` is looked up.
    let environment: (String) -> String?
    let problem: (String) -> Void
    let warn: (String) -> Void
    /// Receives each secret and its name, to check whether it is an example.
    let checkForExampleSecret: (String, String) -> Void

    func read() -> [Client] {
        guard let data = FileManager.default.contents(atPath: path) else {
            problem("IDP_CLIENTS_FILE: cannot read \(path). Check the path and the permissions.")
            return []
        }
        guard data.count <= 1 << 20, let text = String(validating: data, as: UTF8.self) else {
            problem("IDP_CLIENTS_FILE: \(path) must be UTF-8 text of at most 1 MiB.")
            return []
        }
        do {
            guard let root = try Yams.compose(yaml: text) else {
                problem(
                    "IDP_CLIENTS_FILE: \(path): is empty. It must have a list called clients, as in deploy/clients.example.yaml."
                )
                return []
            }
            guard let keys = map(root, known: ["clients"], what: "clients file") else { return [] }
            guard let list = keys["clients"]?.sequence else {
                return refuse("clients must be a list, as in deploy/clients.example.yaml.", root) ?? []
            }
            return list.compactMap(client)
        } catch {
            problem("IDP_CLIENTS_FILE: \(path):\(Self.words(error))")
            return []
        }
    }

    private func client(_ node: Node) -> Client? {
        let known = ["id", "name", "redirect_uris", "secrets", "logo", "start_url"]
        guard let keys = map(node, known: known, what: "client") else { return nil }
        // All are read before any is required, so that all problems are reported at once.
        let (id, name) = (identifier(keys, node), displayName(keys, node))
        let uris = redirectURIs(keys, client: id ?? "?", node)
        let secrets = secrets(keys, client: id ?? "?", node)
        let start = optional(keys, "start_url", client: id ?? "?", Self.startURL)
        let logo = optional(keys, "logo", client: id ?? "?") { file in
            // Beside the clients file, wherever the program was started.
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            return try LogoFile(path: file.hasPrefix("/") ? file : folder + file)
        }
        guard let id, let name, let uris, let secrets, let start, let logo else { return nil }
        return Client(id: id, name: name, redirectURIs: uris, secrets: secrets, logo: logo, startURL: start)
    }

    /// The value of a key that may be missing. Nil alone, not as the value, when there is a problem.
    private func optional<Value>(
        _ keys: [String: Node], _ name: String, client: String, _ read: (String) throws -> Value
    ) -> Value?? {
        guard let node = keys[name] else { return .some(nil) }
        guard let scalar = node.scalar, !scalar.string.isEmpty else { return refuse("\(name) must be text.", node) }
        do { return try read(scalar.string) } catch {
            return refuse("\(name) of \"\(client)\": \(error)", node)
        }
    }

    /// - Throws: ``SettingError`` for an address that a page may not lead to.
    private static func startURL(_ text: String) throws -> String {
        guard let url = try? WebURL(text), text.utf8.count <= 2000 else {
            throw SettingError(
                "\"\(text)\" must be a web address of at most 2000 bytes, such as https://partner.example.com/")
        }
        guard url.isHTTPS || url.authority.isLoopback else {
            throw SettingError("\"\(text)\" must be https; http is for loopback hosts only.")
        }
        return text
    }

    private func identifier(_ keys: [String: Node], _ node: Node) -> String? {
        guard let id = text(keys, "id", node) else { return nil }
        guard ClientID.isWellFormed(id.value) else {
            return refuse(
                "id \"\(id.value)\" must be at most 63 lower-case letters, digits and -, for example partner.", id.node)
        }
        return id.value
    }

    private func displayName(_ keys: [String: Node], _ node: Node) -> String? {
        guard let name = text(keys, "name", node) else { return nil }
        return DisplayName.ofClient(name.value)
            ?? refuse("name \(DisplayName.problem(ofClient: name.value))", name.node)
    }

    private func redirectURIs(_ keys: [String: Node], client: String, _ node: Node) -> [String]? {
        guard let uris = texts(keys, "redirect_uris", node) else { return nil }
        var good: [String] = []
        for uri in uris {
            do {
                try RedirectURI.check(all: good.filter { $0.utf8.elementsEqual(uri.value.utf8) } + [uri.value])
                good.append(uri.value)
            } catch {
                problem("IDP_CLIENTS_FILE: \(path):\(line(uri.node)): redirect_uris of \"\(client)\": \(error)")
            }
        }
        return good.count == uris.count ? good : nil
    }

    private func secrets(_ keys: [String: Node], client: String, _ node: Node) -> [SharedSecret]? {
        guard let references = texts(keys, "secrets", node) else { return nil }
        let good = references.compactMap { secret($0.value, client: client, $0.node) }
        if good.indices.contains(where: { index in good[..<index].contains { $0.isSame(as: good[index]) } }) {
            return refuse(
                "secrets of \"\(client)\": the same secret appears twice. A rotation needs two different ones.", node)
        }
        return good.count == references.count ? good : nil
    }

    private func secret(_ reference: String, client: String, _ node: Node) -> SharedSecret? {
        let name = "\(path):\(line(node)): secrets of \"\(client)\""
        var text: String? = reference
        if reference.hasPrefix("env:") {
            let variable = String(reference.dropFirst(4))
            text = environment(variable)
            if text == nil {
                return refuse("secrets: the environment has no \(variable). Set it, or use file:PATH.", node)
            }
        } else if reference.hasPrefix("file:") {
            text = SecretFile.read(String(reference.dropFirst(5)), setting: name, problem: problem)
        } else if reference.hasPrefix("credential:") {
            guard let path = credential(String(reference.dropFirst(11)), node) else { return nil }
            text = SecretFile.read(path, setting: name, problem: problem)
        }
        guard let text else { return nil }
        do {
            let secret = try SharedSecret.parse(text, setting: name)
            if let warning = secret.warning { warn(warning) }
            checkForExampleSecret(text, name)
            return secret
        } catch {
            problem("\(error)")
            return nil
        }
    }

    /// Where systemd puts the credential of that name for this service (systemd.exec(5), `LoadCredential=`).
    private func credential(_ name: String, _ node: Node) -> String? {
        // The characters that systemd accepts. Without a slash the name cannot leave the folder.
        let isName = name.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
        }
        guard isName, !name.isEmpty, name != ".", name != ".." else {
            return refuse("secrets: credential:\(name) must name a credential, without / and spaces.", node)
        }
        guard let folder = environment("CREDENTIALS_DIRECTORY") else {
            return refuse(
                "secrets: credential:\(name) needs $CREDENTIALS_DIRECTORY, which systemd sets. Add LoadCredential=\(name):PATH "
                    + "to the unit, or use file:PATH.", node)
        }
        return "\(folder)/\(name)"
    }

    private func map(_ node: Node, known: [String], what: String) -> [String: Node]? {
        guard let mapping = node.mapping else { return refuse("a \(what) must be a mapping of keys to values.", node) }
        var result: [String: Node] = [:]
        for (key, value) in mapping {
            let name = key.string ?? ""
            guard known.contains(name) else {
                problem(
                    "IDP_CLIENTS_FILE: \(path):\(line(key)): unknown key \"\(name)\". The keys are \(known.joined(separator: ", "))."
                )
                continue
            }
            result[name] = value
        }
        return result
    }

    private func text(_ keys: [String: Node], _ name: String, _ parent: Node) -> (value: String, node: Node)? {
        guard let node = keys[name] else { return refuse("\(name) is missing. \(Self.example(of: name))", parent) }
        guard let scalar = node.scalar else { return refuse("\(name) must be text. \(Self.example(of: name))", node) }
        guard !scalar.string.isEmpty else {
            return refuse("\(name) must not be empty. \(Self.example(of: name))", node)
        }
        return (scalar.string, node)
    }

    private func texts(_ keys: [String: Node], _ name: String, _ parent: Node) -> [(value: String, node: Node)]? {
        guard let node = keys[name] else { return refuse("\(name) is missing. \(Self.example(of: name))", parent) }
        guard let items = node.sequence, !items.isEmpty else {
            return refuse("\(name) must be a list with at least one item. \(Self.example(of: name))", node)
        }
        let texts = items.compactMap { item in item.scalar.map { ($0.string, item) } }
        guard texts.count == items.count else {
            return refuse("\(name) must be a list of text items. \(Self.example(of: name))", node)
        }
        return texts
    }

    private static func example(of key: String) -> String {
        let value =
            switch key {
            case "id": "partner"
            case "name": "Partner service"
            case "redirect_uris": "[https://partner.example.com/auth/sso/callback]"
            default: #"["file:/etc/swift-sso/secrets/partner"]"#
            }
        return "For example \(key): \(value)"
    }

    private func refuse<T>(_ words: String, _ node: Node) -> T? {
        problem("IDP_CLIENTS_FILE: \(path):\(line(node)): \(words)")
        return nil
    }

    private func line(_ node: Node) -> Int { node.mark?.line ?? 1 }

    /// The line and the parser's message, without the text of that line: it may contain a secret.
    private static func words(_ error: any Error) -> String {
        switch error {
        case let YamlError.scanner(_, problem, mark, _), let YamlError.parser(_, problem, mark, _),
            let YamlError.composer(_, problem, mark, _):
            "\(mark.line): \(problem)"
        case let YamlError.duplicatedKeysInMapping(keys, context):
            "\(context.mark.line): the key \(keys.joined(separator: ", ")) appears twice. Its first place is here."
        default: " is not valid YAML."
        }
    }
}

/// The registry of one relying party straight from the environment: enough for the two-service case.
enum EnvironmentClient {
    /// The client that the `SSO_…` settings describe; nil without such settings, and for settings with problems, which `reader` has.
    static func read(_ reader: SettingsReader) -> Client? {
        let names = [
            "SSO_CLIENT_ID", "SSO_CLIENT_NAME", "SSO_REDIRECT_URIS", "SSO_SHARED_SECRET", "SSO_SHARED_SECRET_FILE",
        ]
        guard names.contains(where: { reader.text($0) != nil }) else { return nil }
        // All are read before any is required, so that all problems are reported at once.
        let id = reader.optional("SSO_CLIENT_ID", checkedID)
        if reader.text("SSO_CLIENT_ID") == nil { missing(reader, "SSO_CLIENT_ID", "Use, for example, partner.") }
        let name = reader.value("SSO_CLIENT_NAME", default: id ?? "partner") { text in
            guard let name = DisplayName.ofClient(text) else {
                throw SettingError(DisplayName.problem(ofClient: text))
            }
            return name
        }
        let uris = reader.optional("SSO_REDIRECT_URIS", checkedURIs)
        if reader.text("SSO_REDIRECT_URIS") == nil {
            missing(reader, "SSO_REDIRECT_URIS", "Use, for example, https://partner.example.com/auth/sso/callback.")
        }
        guard let secret = reader.sharedSecret("SSO_SHARED_SECRET"), let id, let name, let uris else { return nil }
        return Client(id: id, name: name, redirectURIs: uris, secrets: [secret])
    }

    private static func missing(_ reader: SettingsReader, _ name: String, _ hint: String) {
        reader.problem("\(name): is required for the relying party of the SSO_ settings and not set. \(hint)")
    }

    private static func checkedID(_ text: String) throws -> String {
        guard ClientID.isWellFormed(text) else {
            throw SettingError("\"\(text)\" must be at most 63 lower-case letters, digits and -, for example partner.")
        }
        return text
    }

    private static func checkedURIs(_ text: String) throws -> [String] {
        // A space separates as well. An absolute URL contains none.
        let uris = text.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
        guard !uris.isEmpty else {
            throw SettingError("must list at least one URL, for example https://partner.example.com/auth/sso/callback.")
        }
        try RedirectURI.check(all: uris)
        return uris
    }
}
