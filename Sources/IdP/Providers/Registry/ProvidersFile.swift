import SSOShared
package import SSOWeb
import YAMLSettings
import Yams

/// Reads `IDP_PROVIDERS_FILE`.
package struct ProvidersFile {
    package static let setting = Setting(
        "IDP_PROVIDERS_FILE", example: "/etc/swift-sso/providers.yaml",
        "The accounts elsewhere that users may sign in with (Apple, Google, any OpenID provider), see deploy/providers.example.yaml. SIGHUP reads it again."
    ) { $0 }

    /// First words of other paths below `/auth/`, `/auth/native/` and `/sign-in/with/`.
    static let reservedIDs = ["callback", "complete", "email", "mail", "native", "passkey", "sso"]

    private static let keys = [
        "id", "name", "label", "logo", "kind", "issuer", "client_id", "client_secret",
        "token_endpoint_auth_method", "team_id", "key_id", "private_key", "app_id",
        "scopes",
        "response_mode", "allowed_domains", "owns_addresses", "prompt", "email", "new_accounts", "allow_private",
        "algorithms",
    ]

    private let file: SettingsFile
    private let credentials: ProviderCredentials

    /// - Parameters:
    ///   - environment: where `env:NAME` is looked up.
    ///   - checkSecret: receives each client secret and its name, to check whether it is an example or used elsewhere.
    init(
        path: String, environment: @escaping (String) -> String?, problem: @escaping (String) -> Void,
        warn: @escaping (String) -> Void = { _ in }, checkSecret: @escaping (String, String) -> Void
    ) {
        file = SettingsFile(setting: Self.setting.name, path: path, problem: problem, warn: warn)
        credentials = ProviderCredentials(
            references: SecretReferences(file: file, environment: environment), checkSecret: checkSecret)
    }

    /// The providers without a problem, in the order of the file.
    package func read() -> [Provider] {
        let nodes = file.list("providers", what: "providers file", example: "deploy/providers.example.yaml")
        var (entries, providers) = ([SettingsFileEntry](), [Provider]())
        for node in nodes {
            let before = file.problemCount
            guard let entry = file.entry(node, known: Self.keys, what: "provider", example: Self.example) else {
                continue
            }
            entries.append(entry)
            if let provider = provider(entry), file.problemCount == before { providers.append(provider) }
        }
        refuseRepeated("id", entries.map { $0.scalar("id") }, entries)
        // Users cannot tell them apart.
        refuseRepeated("name", entries.map { $0.scalar("name").flatMap(DisplayName.ofClient)?.lowercased() }, entries)
        // An account is recognised by issuer and subject, and an answer by its issuer (RFC 9207).
        refuseRepeated(
            "issuer",
            entries.map { $0.scalar("issuer") ?? $0.scalar("kind").flatMap(Provider.Kind.init)?.defaultIssuer }, entries
        )
        return providers
    }

    private func refuseRepeated(_ key: String, _ values: [String?], _ entries: [SettingsFileEntry]) {
        for (index, value) in values.enumerated() {
            guard let value, let first = values.firstIndex(where: { $0?.utf8.elementsEqual(value.utf8) == true }),
                first < index
            else { continue }
            entries[index].problem(
                "\(key) \"\(value)\" appears twice, first in line \(file.line(entries[first].node(key))). "
                    + "Each provider needs its own.", at: key)
        }
    }

    /// Nil where a required key has a problem. Another problem counts in ``SettingsFile/problemCount`` only.
    private func provider(_ entry: SettingsFileEntry) -> Provider? {
        // All are read before any is required, so that all problems are reported at once.
        let (id, name) = (identifier(entry), entry.displayName("name"))
        let owner = id ?? "?"
        let kind = kind(entry)
        let issuer = issuer(entry, kind, owner)
        let clientID = clientID(entry, owner)
        refuseForeignKeys(entry, kind)
        let credential = kind.flatMap { credentials.read(entry, kind: $0, provider: owner) }
        let authMethod = authMethod(entry, kind, owner)
        let scopes = scopes(entry, kind, owner)
        let mode = responseMode(entry, kind, scopes: scopes, owner)
        let prompt = prompt(entry, kind, owner)
        let email: Provider.EmailTrust = entry.choice("email") ?? .ifVerified
        let domains = domains(entry, email, owner)
        let ownedDomains = ownedDomains(entry, kind, email, owner)
        let (makesAccounts, isPrivate) = (
            entry.flag("new_accounts", default: true), entry.flag("allow_private", default: false)
        )
        let algorithms = algorithms(entry, kind, owner)
        let appID = appleAppID(entry, owner)
        let (label, logo) = (label(entry), logo(entry, owner))
        guard let id, let name, let kind, let issuer, let clientID, let credential else { return nil }
        return Provider(
            id: id, name: name, label: label, logo: logo, kind: kind, issuer: issuer, clientID: clientID,
            credential: credential, scopes: scopes,
            responseMode: mode, allowedDomains: domains, ownedDomains: ownedDomains, prompt: prompt, emailTrust: email,
            allowsNewAccounts: makesAccounts, authMethod: authMethod, allowsPrivateAddresses: isPrivate,
            algorithms: algorithms,
            appleAppID: appID)
    }

    private func identifier(_ entry: SettingsFileEntry) -> String? {
        guard let id = entry.text("id") else { return nil }
        guard ClientID.isWellFormed(id.value), id.value.utf8.count <= 32 else {
            return file.refuse(
                "id \"\(id.value)\" must be at most 32 lower-case letters, digits and -, for example work.", id.node)
        }
        guard !Self.reservedIDs.contains(id.value) else {
            return file.refuse("id \"\(id.value)\" is part of another path of this program. Use another word.", id.node)
        }
        return id.value
    }

    private func appleAppID(_ entry: SettingsFileEntry, _ owner: String) -> String? {
        guard entry.has("app_id"), let id = entry.text("app_id") else { return nil }
        let isWellFormed =
            id.value.utf8.count <= 255 && id.value.utf8.contains(UInt8(ascii: "."))
            && id.value.utf8.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
            }
        guard isWellFormed else {
            return file.refuse(
                "app_id of \"\(owner)\" must be the identifier of the primary App ID, without the team. "
                    + entry.example("app_id"), id.node)
        }
        return id.value
    }

    private func label(_ entry: SettingsFileEntry) -> String? {
        entry.has("label") ? entry.displayName("label") : nil
    }

    /// A path beside the providers file, or an absolute one. One that cannot be used is left out, with a warning.
    private func logo(_ entry: SettingsFileEntry, _ owner: String) -> LogoFile? {
        guard let name = entry.optionalText("logo") else { return nil }
        do { return try file.logo(name.value) } catch {
            file.warn("\(file.place(of: name.node)): logo of \"\(owner)\": \("\(error)".withFullStop) It is left out.")
            return nil
        }
    }

    private func kind(_ entry: SettingsFileEntry) -> Provider.Kind? {
        entry.has("kind") ? entry.choice("kind") : entry.refuse("kind is missing. \(entry.example("kind"))")
    }

    private func issuer(_ entry: SettingsFileEntry, _ kind: Provider.Kind?, _ owner: String) -> String? {
        if !entry.has("issuer"), let kind, let issuer = kind.defaultIssuer { return issuer }
        // Without a kind it is not known whether an issuer is needed.
        guard kind != nil || entry.has("issuer"), let issuer = entry.text("issuer") else { return nil }
        do {
            try IssuerRule.check(issuer.value, kind: kind)
            return issuer.value
        } catch {
            return file.refuse("issuer of \"\(owner)\": \(error)", issuer.node)
        }
    }

    private func clientID(_ entry: SettingsFileEntry, _ owner: String) -> String? {
        guard let text = entry.text("client_id") else { return nil }
        guard text.value.utf8.count <= 255, text.value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            return file.refuse(
                "client_id of \"\(owner)\" must be at most 255 ASCII characters without spaces, as the provider shows it.",
                text.node)
        }
        return text.value
    }

    private func refuseForeignKeys(_ entry: SettingsFileEntry, _ kind: Provider.Kind?) {
        guard let kind else { return }
        for name in Self.keys where entry.has(name) {
            guard let kinds = Provider.Kind.special[name], !kinds.contains(kind) else { continue }
            let list = SettingsFileEntry.list(kinds.map(\.rawValue))
            entry.problem("\(name) is not for kind \(kind.rawValue), only for \(list). Remove it.", at: name)
        }
    }

    private static func example(of key: String) -> String {
        let value =
            switch key {
            case "id": "work"
            case "name": "Work account"
            case "label": "Sign in with your work account"
            case "logo": "work.svg"
            case "kind": "oidc"
            case "issuer": "https://idp.example.org/realms/staff"
            case "client_id": "main-app"
            case "client_secret": "credential:work"
            case "token_endpoint_auth_method": "client_secret_post"
            case "team_id", "key_id": "ABCDE12345"
            case "app_id": "com.example.app"
            case "private_key": "credential:apple.p8"
            case "scopes": "[openid, email, profile]"
            case "response_mode": "query"
            case "allowed_domains", "owns_addresses": "[example.org]"
            case "prompt": "select_account"
            case "email": "trust-if-verified"
            case "algorithms": "[RS256]"
            default: "false"
            }
        return "For example \(key): \(value)"
    }
}

extension SettingsFileEntry {
    /// A text, wherever a comparison needs it, without a report.
    fileprivate func scalar(_ name: String) -> String? { keys[name]?.scalar?.string }

    /// The place of a key, or of the entry when it is missing.
    fileprivate func node(_ name: String) -> Node { keys[name] ?? node }
}
