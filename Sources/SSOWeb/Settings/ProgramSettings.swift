package import SSOShared

/// The public address of a program: `IDP_PUBLIC_URL`, with `HSTS_INCLUDE_SUBDOMAINS`.
package struct PublicURLSetting: ReadableSetting {
    package let origin: Setting<PublicOrigin>
    package var name: String { origin.name }
    package var descriptions: [SettingDescription] { [origin.description] }

    /// - Parameter program: how the name begins: `IDP`.
    package init(_ program: String, default value: String, example: String) {
        origin = Setting(
            "\(program)_PUBLIC_URL", default: value, example: example,
            "The one origin in links, cookies and checks. It must be https, unless the host is loopback."
        ) { try PublicOrigin($0, example: example) }
    }

    package func read(_ reader: SettingsReader, _ values: SettingValues) -> PublicOrigin? {
        var origin = origin.read(reader, values)
        let includesSubdomains = reader.value(CommonSettings.hstsIncludesSubdomains) ?? false
        origin?.includesSubdomains = includesSubdomains
        return origin
    }
}

extension ListenAddress {
    /// The setting of a program.
    ///
    /// - Parameter program: how the name begins: `IDP`.
    package static func setting(_ program: String, default value: String, example: String) -> Setting<ListenAddress> {
        Setting(
            "\(program)_LISTEN", default: value, example: example,
            "The address and port to listen on. Keep it on loopback or in a private network: the proxy does TLS."
        ) { try ListenAddress($0, example: value) }
    }
}

/// A required secret, which is shown as its fingerprint.
package struct SecretSetting<Value: Sendable>: ReadableSetting {
    package let description: SettingDescription
    private let readSecret: @Sendable (SettingsReader, String) -> Value?
    package var name: String { description.name }
    package var descriptions: [SettingDescription] { [description] }

    fileprivate init(
        _ name: String, example: String = "the output of: openssl rand -hex 32", _ explanation: String,
        _ readSecret: @escaping @Sendable (SettingsReader, String) -> Value?
    ) {
        description = SettingDescription(
            name, without: "required", example: example, isSecret: true, explanation)
        self.readSecret = readSecret
    }

    package func read(_ reader: SettingsReader, _ values: SettingValues) -> Value? { readSecret(reader, name) }
}

extension DerivedKeys {
    /// The setting of a program's own keys.
    package static func setting(_ name: String, _ explanation: String) -> SecretSetting<DerivedKeys> {
        SecretSetting(name, explanation) { $0.derivedKeys($1) }
    }
}

extension SharedSecret {
    /// The setting of a secret that the other program has made.
    ///
    /// - Parameter hint: where the operator gets it, as a sentence.
    package static func setting(
        _ name: String, example: String, hint: String, _ explanation: String
    ) -> SecretSetting<SharedSecret> {
        SecretSetting(name, example: example, explanation) { $0.sharedSecret($1, hint: hint) }
    }
}
