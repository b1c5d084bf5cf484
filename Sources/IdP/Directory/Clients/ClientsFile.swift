import SSOShared
package import SSOWeb
import YAMLSettings
import Yams

/// Reads `IDP_CLIENTS_FILE`.
package struct ClientsFile {
    package static let setting = SettingDescription(
        "IDP_CLIENTS_FILE", example: "/etc/swift-sso/clients.yaml",
        "The clients as a YAML file, see deploy/clients.example.yaml. SIGHUP reads it again.")

    private let file: SettingsFile
    private let references: SecretReferences
    private let warn: (String) -> Void
    private let checkForExampleSecret: (String, String) -> Void

    /// - Parameters:
    ///   - environment: where `env:NAME` is looked up.
    ///   - checkForExampleSecret: receives each secret and its name, to check whether it is an example.
    package init(
        path: String, environment: @escaping (String) -> String?, problem: @escaping (String) -> Void,
        warn: @escaping (String) -> Void, checkForExampleSecret: @escaping (String, String) -> Void
    ) {
        file = SettingsFile(setting: Self.setting.name, path: path, problem: problem)
        references = SecretReferences(file: file, environment: environment)
        (self.warn, self.checkForExampleSecret) = (warn, checkForExampleSecret)
    }

    package func read() -> [Client] {
        file.list("clients", what: "clients file", example: "deploy/clients.example.yaml").compactMap(client)
    }

    /// What the entries say of groups. Does not look up secrets: a command may not have what `env:` and `credential:` name.
    package func readGroupRules() -> [ClientGroupRules] {
        file.list("clients", what: "clients file", example: "deploy/clients.example.yaml").compactMap { node in
            guard let entry = entry(node), let id = identifier(entry) else { return nil }
            return ClientRules(entry, client: id)?.groupRules(of: id)
        }
    }

    private static let keys = [
        "id", "name", "redirect_uris", "secrets", "logo", "start_url", "access", "groups", "expose_groups", "contact",
        "hidden", "logout_uri", "sign_out_uris",
    ]

    private func entry(_ node: Node) -> SettingsFileEntry? {
        file.entry(node, known: Self.keys, what: "client", example: Self.example)
    }

    private func client(_ node: Node) -> Client? {
        guard let entry = entry(node) else { return nil }
        // All are read before any is required, so that all problems are reported at once.
        let (id, name) = (identifier(entry), displayName(entry))
        let uris = redirectURIs(entry, client: id ?? "?")
        let secrets = secrets(entry, client: id ?? "?")
        let start = optional(entry, "start_url", client: id ?? "?", Self.startURL)
        let logo = optional(entry, "logo", client: id ?? "?") { name in
            // Beside the clients file, wherever the program was started.
            let folder = file.path.lastIndex(of: "/").map { String(file.path[...$0]) } ?? ""
            return try LogoFile(path: name.hasPrefix("/") ? name : folder + name)
        }
        let rules = ClientRules(entry, client: id ?? "?")
        guard let id, let name, let uris, let secrets, let start, let logo, let rules else { return nil }
        var client = Client(id: id, name: name, redirectURIs: uris, secrets: secrets, logo: logo, startURL: start)
        rules.apply(to: &client)
        if client.access == .unstated {
            warn(
                "\(file.place(of: node)): \(id) has neither access nor groups, so everyone may enter it. Say access: everyone, or groups: [finance]."
            )
        }
        return client
    }

    /// The value of a key that may be missing. Nil alone, not as the value, when there is a problem.
    private func optional<Value>(
        _ entry: SettingsFileEntry, _ name: String, client: String, _ read: (String) throws -> Value
    ) -> Value?? {
        guard let node = entry.keys[name] else { return .some(nil) }
        guard let scalar = node.scalar, !scalar.string.isEmpty else {
            return file.refuse("\(name) must be text.", node)
        }
        do { return try read(scalar.string) } catch {
            return file.refuse("\(name) of \"\(client)\": \(error)", node)
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

    private func identifier(_ entry: SettingsFileEntry) -> String? {
        guard let id = entry.text("id") else { return nil }
        guard ClientID.isWellFormed(id.value) else {
            return file.refuse(
                "id \"\(id.value)\" must be at most 63 lower-case letters, digits and -, for example partner.", id.node)
        }
        return id.value
    }

    private func displayName(_ entry: SettingsFileEntry) -> String? {
        guard let name = entry.text("name") else { return nil }
        return DisplayName.ofClient(name.value)
            ?? file.refuse("name \(DisplayName.problem(ofClient: name.value))", name.node)
    }

    private func redirectURIs(_ entry: SettingsFileEntry, client: String) -> [String]? {
        guard let uris = entry.texts("redirect_uris") else { return nil }
        var good: [String] = []
        for uri in uris {
            do {
                try RedirectURI.check(all: good.filter { $0.utf8.elementsEqual(uri.value.utf8) } + [uri.value])
                good.append(uri.value)
            } catch {
                file.problem("\(file.place(of: uri.node)): redirect_uris of \"\(client)\": \(error)")
            }
        }
        return good.count == uris.count ? good : nil
    }

    private func secrets(_ entry: SettingsFileEntry, client: String) -> [SharedSecret]? {
        guard let texts = entry.texts("secrets") else { return nil }
        let good = texts.compactMap { secret($0.value, client: client, $0.node) }
        if good.indices.contains(where: { index in good[..<index].contains { $0.isSame(as: good[index]) } }) {
            return entry.refuse(
                "secrets of \"\(client)\": the same secret appears twice. A rotation needs two different ones.")
        }
        return good.count == texts.count ? good : nil
    }

    private func secret(_ text: String, client: String, _ node: Node) -> SharedSecret? {
        guard let text = references.text(SecretReference(text), key: "secrets", of: client, at: node) else {
            return nil
        }
        let name = references.name("secrets", of: client, at: node)
        do {
            let secret = try SharedSecret.parse(text, setting: name)
            if let warning = secret.warning { warn(warning) }
            checkForExampleSecret(text, name)
            return secret
        } catch {
            file.problem("\(error)")
            return nil
        }
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
}

/// The registry of one relying party straight from the environment: enough for the two-service case.
package enum EnvironmentClient {
    static let clientID = Setting(
        "SSO_CLIENT_ID", example: "partner", "One client without a file: its id. The relying party has the same one.",
        checkedID)
    static let clientName = Setting(
        "SSO_CLIENT_NAME", without: "the id", example: "Partner service",
        "The name of that client, which users see."
    ) { text in
        guard let name = DisplayName.ofClient(text) else { throw SettingError(DisplayName.problem(ofClient: text)) }
        return name
    }
    static let redirectURIs = Setting(
        "SSO_REDIRECT_URIS", example: "https://partner.example.com/auth/sso/callback",
        "The redirect URIs of that client, separated by commas. A request must name one of them byte for byte.",
        checkedURIs)
    static let sharedSecret = SettingDescription(
        "SSO_SHARED_SECRET", example: "the output of: openssl rand -hex 32", isSecret: true,
        "The secret of that client, at least 32 bytes. The relying party has the same one.")

    /// In the order of `--help`.
    package static let descriptions = [
        clientID.description, clientName.description, redirectURIs.description, sharedSecret,
    ]

    /// The client that the `SSO_…` settings describe; nil without such settings, and for settings with problems, which `reader` has.
    package static func read(_ reader: SettingsReader) -> Client? {
        let names = descriptions.map(\.name) + [sharedSecret.name + "_FILE"]
        guard names.contains(where: { reader.text($0) != nil }) else { return nil }
        // All are read before any is required, so that all problems are reported at once.
        let id = reader.value(clientID)
        if reader.text(clientID.name) == nil { missing(reader, clientID.name, "Use, for example, partner.") }
        let name = reader.value(clientName, default: id ?? "partner")
        let uris = reader.value(redirectURIs)
        if reader.text(redirectURIs.name) == nil {
            missing(reader, redirectURIs.name, "Use, for example, https://partner.example.com/auth/sso/callback.")
        }
        guard let secret = reader.sharedSecret(sharedSecret.name), let id, let name, let uris else { return nil }
        var client = Client(id: id, name: name, redirectURIs: uris, secrets: [secret])
        // No setting says who may enter it, so there is nothing to warn about.
        client.access = .everyone
        return client
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
