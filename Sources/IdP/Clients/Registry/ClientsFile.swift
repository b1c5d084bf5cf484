import SSOShared
package import SSOWeb
import YAMLSettings
import Yams

/// Reads `IDP_CLIENTS_FILE`.
package struct ClientsFile {
    package static let setting = Setting(
        "IDP_CLIENTS_FILE", example: "/etc/swift-sso/clients.yaml",
        "The clients as a YAML file, see deploy/clients.example.yaml. SIGHUP reads it again."
    ) { $0 }

    private let file: SettingsFile
    private let references: SecretReferences
    private let protocols: ClientProtocols
    private let withAllSecrets: Bool
    private let warn: (String) -> Void
    private let checkForExampleSecret: (String, String) -> Void

    /// - Parameters:
    ///   - environment: where `env:NAME` is looked up.
    ///   - checkForExampleSecret: receives each secret and its name, to check whether it is an example.
    ///   - withAllSecrets: false to warn of a secret that cannot be read, and to do without it.
    package init(
        path: String, of protocols: ClientProtocols, environment: @escaping (String) -> String?,
        problem: @escaping (String) -> Void,
        warn: @escaping (String) -> Void, checkForExampleSecret: @escaping (String, String) -> Void,
        withAllSecrets: Bool = true
    ) {
        file = SettingsFile(setting: Self.setting.name, path: path, problem: problem, warn: warn)
        let lenient = SettingsFile(setting: Self.setting.name, path: path, problem: warn)
        references = SecretReferences(file: withAllSecrets ? file : lenient, environment: environment)
        (self.protocols, self.withAllSecrets) = (protocols, withAllSecrets)
        (self.warn, self.checkForExampleSecret) = (warn, checkForExampleSecret)
    }

    package func read() -> [Client] {
        let nodes = file.list("clients", what: "clients file", example: "deploy/clients.example.yaml")
        guard nodes.count <= ClientLimits.clients else {
            file.problem(
                "\(Self.setting.name): \(file.path): has \(nodes.count) clients. At most \(ClientLimits.clients) are allowed."
            )
            return []
        }
        let reader = ClientEntryReader(
            file: file, of: protocols, furtherKeys: ["secrets"], leavesLogosOut: true, readLogo: file.logo)
        return nodes.compactMap { node in
            var places: [(line: Int, isFixed: Bool)] = []
            var client = reader.client(node) { entry, id in
                places = entry.keys["secrets"]?.sequence.map { $0.map(place) } ?? []
                return secrets(entry, client: id)
            }
            client?.origin = .file(
                path: file.path, line: file.line(node), secretLines: places.map { $0.line },
                isFixed: places.contains { $0.isFixed })
            if let client, client.access == .unstated {
                warn(
                    "\(file.place(of: node)): \(client.id) has neither access nor groups, so everyone may enter it. Say access: everyone, or groups: [finance]."
                )
            }
            for warning in client?.addressWarnings ?? [] { warn("\(file.place(of: node)): \(warning)") }
            return client
        }
    }

    private func place(of secret: Node) -> (line: Int, isFixed: Bool) {
        let isFixed =
            switch SecretReference(secret.string ?? "") {
            case .environment, .credential: true
            case .file, .value: false
            }
        return (file.line(secret), isFixed)
    }

    private func secrets(_ entry: SettingsFileEntry, client: String) -> [SharedSecret]? {
        guard let texts = entry.texts("secrets") else { return nil }
        let good = texts.compactMap { secret($0.value, client: client, $0.node) }
        if good.indices.contains(where: { index in good[..<index].contains { $0.isSame(as: good[index]) } }) {
            return entry.refuse(
                "secrets of \"\(client)\": the same secret appears twice. A rotation needs two different ones.")
        }
        return good.count == texts.count || !withAllSecrets ? good : nil
    }

    private func secret(_ written: String, client: String, _ node: Node) -> SharedSecret? {
        guard let text = references.text(SecretReference(written), key: "secrets", of: client, at: node) else {
            return nil
        }
        let name = references.name("secrets", of: client, at: node)
        do {
            let secret = try SharedSecret.parse(text, setting: name)
            if let warning = secret.warning { warn(warning) }
            checkForExampleSecret(text, name)
            return secret
        } catch {
            file.problem("\(error)\(references.hint(about: written))")
            return nil
        }
    }
}

/// The registry of one relying party straight from the environment: enough for the two-service case.
package enum EnvironmentClient {
    static let clientID = Setting(
        "SSO_CLIENT_ID", example: "partner", "One client without a file: its id. The relying party has the same one.",
        checkedID)
    static let clientName = Setting(
        "SSO_CLIENT_NAME", without: "the id", .nothing, example: "Partner service",
        "The name of that client, which users see.", DisplayName.ofSetting)
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

    /// The names of those that all nodes must have alike.
    package static let common = [clientID.name, redirectURIs.name, sharedSecret.name]

    /// The client that the `SSO_…` settings describe; nil without such settings, and for settings with problems, which `reader` has.
    ///
    /// - Parameter settings: of the protocol that it uses.
    package static func read(_ reader: SettingsReader, using settings: any ClientProtocolSettings) -> Client? {
        let names = descriptions.map(\.name) + [sharedSecret.name + "_FILE"]
        guard names.contains(where: { reader.text($0) != nil }) else { return nil }
        // All are read before any is required, so that all problems are reported at once.
        let id = reader.value(clientID) ?? nil
        if reader.text(clientID.name) == nil { missing(reader, clientID.name, "Use, for example, partner.") }
        let name = reader.value(clientName, default: id ?? "partner")
        let uris = reader.value(redirectURIs) ?? nil
        if reader.text(redirectURIs.name) == nil {
            missing(reader, redirectURIs.name, "Use, for example, https://partner.example.com/auth/sso/callback.")
        }
        guard let secret = reader.sharedSecret(sharedSecret.name), let id, let name, let uris else { return nil }
        var client = Client(id: id, name: name, redirectURIs: uris, secrets: [secret])
        // No setting says who may enter it, so there is nothing to warn about.
        client.access = .everyone
        client.protocols = [settings]
        return client
    }

    private static func missing(_ reader: SettingsReader, _ name: String, _ hint: String) {
        reader.problem("\(name): is required for the relying party of the SSO_ settings and not set. \(hint)")
    }

    private static func checkedID(_ text: String) throws -> String {
        guard ClientID.isWellFormed(text) else {
            throw SettingError("\"\(text)\" must be \(ClientID.rule), for example partner.")
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
