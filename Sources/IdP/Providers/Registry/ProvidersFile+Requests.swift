import JWT
import SSOShared
import YAMLSettings

/// The keys that say what is asked of a provider, and what of its answers counts.
extension ProvidersFile {
    func scopes(_ entry: SettingsFileEntry, _ kind: Provider.Kind?, _ owner: String) -> [String] {
        guard let texts = entry.optionalTexts("scopes") else { return kind?.defaultScopes ?? [] }
        for text in texts where !Self.isScope(text.value) {
            entry.problem(
                "scopes of \"\(owner)\": \"\(text.value)\" must be ASCII without spaces, quotation marks and backslashes. "
                    + entry.example("scopes"), at: text.node)
        }
        let scopes = texts.map(\.value)
        if kind?.hasIDTokens == true, !scopes.contains("openid") {
            // OpenID Connect Core 1.0, 3.1.2.1.
            entry.problem(
                "scopes of \"\(owner)\" must have openid, without which there is no ID token. \(entry.example("scopes"))",
                at: "scopes")
        }
        return scopes
    }

    /// RFC 6749 3.3.
    private static func isScope(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    func responseMode(
        _ entry: SettingsFileEntry, _ kind: Provider.Kind?, scopes: [String], _ owner: String
    ) -> Provider.ResponseMode {
        let fallback = kind?.defaultResponseMode ?? .query
        let mode: Provider.ResponseMode = entry.choice("response_mode") ?? fallback
        switch (kind, mode) {
        case (.apple, .query) where scopes.contains("name") || scopes.contains("email"):
            entry.problem(
                "response_mode of \"\(owner)\" must be form_post, because Apple sends name and email in no other way.",
                at: "response_mode")
        case (.github, .formPost):
            entry.problem(
                "response_mode of \"\(owner)\" must be query, because GitHub has no other.", at: "response_mode")
        default: break
        }
        return mode
    }

    /// Nil: as the discovery document says, and for a public client.
    func authMethod(_ entry: SettingsFileEntry, _ kind: Provider.Kind?, _ owner: String) -> Provider.AuthMethod? {
        let name = "token_endpoint_auth_method"
        // Another kind has been refused already.
        guard kind.map({ Provider.Kind.special[name]?.contains($0) ?? true }) ?? true,
            let text = entry.optionalText(name)
        else { return nil }
        let (method, isNone) = (Provider.AuthMethod(rawValue: text.value), text.value == "none")
        let problem: String? =
            switch (method != nil || isNone, entry.has("client_secret")) {
            case (false, _):
                "\"\(text.value)\" of \"\(owner)\" must be client_secret_basic, client_secret_post or none. "
                    + "Register the client at the provider with one of these."
            case (true, true) where isNone:
                "of \"\(owner)\" has the value none, which is for public clients. Remove it, or remove client_secret."
            case (true, false) where !isNone:
                "of \"\(owner)\" is \(text.value), which needs client_secret. A public client has none."
            default: nil
            }
        if let problem { entry.problem("\(name) \(problem)", at: text.node) }
        return method
    }

    func prompt(_ entry: SettingsFileEntry, _ kind: Provider.Kind?, _ owner: String) -> String? {
        guard let kind, !kind.prompts.isEmpty, let text = entry.optionalText("prompt") else { return nil }
        guard text.value != "none" else {
            entry.problem(
                "prompt of \"\(owner)\" must not be none: a user who is not signed in at the provider could not sign in. "
                    + entry.example("prompt"), at: text.node)
            return nil
        }
        guard kind.prompts.contains(text.value) else {
            let list = SettingsFileEntry.list(kind.prompts)
            entry.problem("prompt \"\(text.value)\" of \"\(owner)\" must be \(list).", at: text.node)
            return nil
        }
        return text.value
    }

    /// In lower-case ASCII.
    func domains(_ entry: SettingsFileEntry, _ email: Provider.EmailTrust, _ owner: String) -> [String] {
        guard let texts = entry.optionalTexts("allowed_domains") else { return [] }
        if email == .never {
            entry.problem(
                "allowed_domains of \"\(owner)\" needs email: trust-if-verified. With email: never, no user could sign in.",
                at: "allowed_domains")
        }
        return texts.compactMap { text in
            if let domain = try? Entered.domain(text.value) { return domain }
            entry.problem(
                "allowed_domains of \"\(owner)\": \"\(text.value)\" must be a domain without *@, such as example.org.",
                at: text.node)
            return nil
        }
    }

    /// Those of the kind, and those of the entry.
    func ownedDomains(
        _ entry: SettingsFileEntry, _ kind: Provider.Kind?, _ email: Provider.EmailTrust, _ owner: String
    ) -> [String] {
        let ofKind = kind?.ownedDomains ?? []
        guard let texts = entry.optionalTexts("owns_addresses") else { return ofKind }
        if email == .never {
            entry.problem(
                "owns_addresses of \"\(owner)\" needs email: trust-if-verified. With email: never, its addresses are ignored.",
                at: "owns_addresses")
        }
        return ofKind
            + texts.compactMap { text in
                if let domain = try? Entered.domain(text.value) { return domain }
                entry.problem(
                    "owns_addresses of \"\(owner)\": \"\(text.value)\" must be a domain without *@, such as example.org. "
                        + "Name each subdomain too.", at: text.node)
                return nil
            }
    }

    func algorithms(_ entry: SettingsFileEntry, _ kind: Provider.Kind?, _ owner: String) -> [SignatureAlgorithm] {
        guard kind?.hasIDTokens != false, let texts = entry.optionalTexts("algorithms") else {
            return kind?.defaultAlgorithms ?? []
        }
        return texts.compactMap { text in
            if let algorithm = SignatureAlgorithm.allCases.first(where: { $0.isNamed(text.value) }) { return algorithm }
            let list = SettingsFileEntry.list(SignatureAlgorithm.allCases.map(\.rawValue))
            entry.problem("algorithms of \"\(owner)\": \"\(text.value)\" must be \(list).", at: text.node)
            return nil
        }
    }
}
