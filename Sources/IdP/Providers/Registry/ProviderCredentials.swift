import JWT
import SSOShared
import SSOWeb
import YAMLSettings

/// Reads from an entry of the providers file how the IdP proves itself to the provider. No message contains a secret.
struct ProviderCredentials {
    let references: SecretReferences
    /// Receives each secret and its name, to check whether it is an example or used elsewhere.
    let checkSecret: (String, String) -> Void

    /// Nil after a problem.
    package func read(_ entry: SettingsFileEntry, kind: Provider.Kind, provider: String) -> Provider.Credential? {
        if kind == .apple { return appleKey(entry, provider: provider).map(Provider.Credential.apple) }
        guard entry.has("client_secret") else {
            // Only a provider of one's own has public clients that run on a server.
            return kind == .oidc
                ? Provider.Credential.none : entry.refuse("client_secret is missing. \(entry.example("client_secret"))")
        }
        guard let text = secret(entry, "client_secret", provider: provider) else { return nil }
        // RFC 6749 appendix A.2, without the space: at either end it is a mistake, and no provider issues one in between.
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), text.utf8.count <= 4096 else {
            return entry.refuse(
                "client_secret of \"\(provider)\" must be one line of at most 4096 ASCII characters without spaces.",
                at: "client_secret")
        }
        if let node = entry.keys["client_secret"] {
            checkSecret(text, references.name("client_secret", of: provider, at: node))
        }
        return .secret(ProviderSecret(text: text))
    }

    private func appleKey(_ entry: SettingsFileEntry, provider: String) -> AppleKey? {
        // All are read before any is required, so that all problems are reported at once.
        let (team, key) = (identifier(entry, "team_id", provider), identifier(entry, "key_id", provider))
        guard let pem = secret(entry, "private_key", provider: provider) else { return nil }
        // Whether it can sign shows now and not when the first user comes back from Apple.
        guard pem.contains("-----BEGIN PRIVATE KEY-----"), let signer = try? PrivateKey(pem: pem),
            signer.algorithm == .es256
        else {
            return entry.refuse(
                "private_key of \"\(provider)\" must be a P-256 private key in PEM form, as in the .p8 file from Apple. Its "
                    + "first line is -----BEGIN PRIVATE KEY-----.", at: "private_key")
        }
        guard let team, let key else { return nil }
        return AppleKey(teamID: team, keyID: key, key: signer)
    }

    private func identifier(_ entry: SettingsFileEntry, _ name: String, _ provider: String) -> String? {
        guard let text = entry.text(name) else { return nil }
        let isWellFormed =
            text.value.utf8.count == 10
            && text.value.utf8.allSatisfy { (0x41...0x5a).contains($0) || (0x30...0x39).contains($0) }
        guard isWellFormed else {
            return entry.refuse(
                "\(name) of \"\(provider)\" must be 10 upper-case letters and digits. \(entry.example(name))", at: name)
        }
        return text.value
    }

    /// The text that the reference in a required key names.
    private func secret(_ entry: SettingsFileEntry, _ name: String, provider: String) -> String? {
        guard let text = entry.text(name) else { return nil }
        let reference = SecretReference(text.value)
        // Unlike the clients file this one never holds a secret: it is copied, shown and kept with the configuration.
        if case .value = reference {
            return entry.refuse(
                "\(name) of \"\(provider)\" must be env:NAME, file:PATH or credential:NAME. This file holds no secret. "
                    + entry.example(name), at: name)
        }
        return references.text(reference, key: name, of: provider, at: text.node)
    }
}
