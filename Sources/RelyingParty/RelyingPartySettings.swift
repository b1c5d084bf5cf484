import SSOShared
import SSOWeb
import Storage
import StorageEngines
import ThisBuild

/// The settings of the relying party (docs/settings.md): the one list of them, and the checks that look at two.
enum RelyingPartySettings {
    static let publicURL = PublicURLSetting(
        "RP", default: "http://localhost:8081", example: "https://partner.example.com")
    static let listen = ListenAddress.setting("RP", default: "127.0.0.1:8081", example: "127.0.0.1:9091")
    static let database = DatabaseSettings(
        "RP", file: ("sqlite:var/rp.sqlite", "sqlite:/var/lib/swift-sso-relying-party/rp.sqlite"),
        postgres: ProgramDatabase.relyingParty.postgres)
    static let secretKey = DerivedKeys.setting(
        "RP_SECRET_KEY",
        "At least 32 bytes, and not the shared secret. A comma-separated list rotates it: the first makes new values, all are accepted."
    )
    /// Where browsers go to sign in.
    static let idp = Setting(
        "RP_IDP_URL", default: "http://localhost:8080", example: "https://idp.example.com",
        "The identity provider, where browsers sign in."
    ) { try PublicOrigin($0) }
    static let allowsPlaintext = Setting(
        "RP_ALLOW_PLAINTEXT_BACKCHANNEL", default: false, example: "true",
        "Whether the back channel may use unencrypted http to another machine.")
    /// Where tokens are verified: the same origin, unless the identity provider has another address in this network.
    static let backChannel: Setting<String> = Setting(
        "RP_IDP_BACKCHANNEL_URL", without: "RP_IDP_URL",
        .text { values in (try? values[idp])?.text ?? "http://localhost:8080" }, example: "https://id.internal:8443",
        "Where tokens are verified, if that has another address in your network.", origin
    ).checked { origin, reader, values in
        guard (try? values[allowsPlaintext]) != true, let url = try? WebURL(origin), !url.isHTTPS,
            !url.authority.isLoopback
        else { return }
        reader.problem(
            "\(backChannel.name): \"\(origin)\" must be https, for example https://idp.example.com, unless the host is "
                + "loopback. To allow unencrypted http to another machine set \(allowsPlaintext.name)=true.")
    }
    static let caFile: Setting<String?> = Setting(
        "RP_CA_FILE", without: "system roots", example: "/etc/swift-sso/authority.pem",
        "Further certificate authorities for the back channel, as PEM. TLS is always verified.", certificateFile
    ).warningOfWriters()
    static let requiresSignedResponse = Setting(
        "RP_REQUIRE_SIGNED_RESPONSE", default: true, example: "false",
        "Whether to refuse a back-channel response without a valid signature.")
    static let sessionCheck = Setting(
        "RP_SESSION_CHECK", default: "5m", example: "15m",
        "How long a session is in use before the identity provider is asked whether it still holds, 1m to 60m. off: never."
    ) { try SessionCheckInterval($0) }
    static let metricsListen = MetricsListen.setting("RP", port: 9465)
    /// The session of an app cannot be ended here from another device, so it ends by itself.
    static let sessions = SessionSettings("RP", idle: "1h", appAbsolute: .days(90))
    static let name = Setting(
        "RP_NAME", default: "Partner service", example: "Example Wiki", "The name of this service on its pages.",
        Brand.programName)
    static let idpName = Setting(
        "RP_IDP_NAME", default: "Main App", example: "Example ID",
        "The name of the identity provider on the pages.", Brand.programName)
    /// The second redirect URI, for an app whose web view shows this service.
    static let nativeRedirectURI: Setting<String?> = Setting(
        "RP_NATIVE_REDIRECT_URI", example: "com.example.partner:/callback",
        "Where a sign-in in the web view of your app comes back to the app. Register it at the identity provider as well.",
        checkedRedirectURI
    ).checked { native, reader, values in
        guard let native, native == (try? redirectURI(values)) else { return }
        reader.problem(
            "\(nativeRedirectURI.name): \"\(native)\" is the callback for browsers already. Use a URI that opens your app."
        )
    }
    static let clientID: Setting<String> = Setting(
        "SSO_CLIENT_ID", without: "required",
        .problem(hint: "Use the id that the IdP has registered for you, for example partner."), example: "partner",
        "The id that the identity provider has registered for this service.", wellFormedID)
    static let sharedSecret = SharedSecret.setting(
        "SSO_SHARED_SECRET", example: "the secret that idp client add has printed",
        hint: "Use the one that the IdP has for this client: idp client add and idp client rotate print it.",
        "The secret that the identity provider has registered for this service.")

    /// Every setting but the common ones, in the order in which they are read.
    private static let all: [any ReadableSetting] = [
        publicURL, listen, database, secretKey, idp, allowsPlaintext, backChannel, caFile, requiresSignedResponse,
        sessionCheck, metricsListen, sessions, name, idpName, nativeRedirectURI, clientID, sharedSecret,
    ]

    /// The same in the order of `--help`.
    static let table = [SettingDescription](all).moving([allowsPlaintext], after: backChannel)

    /// - Returns: nil when there is a problem. `reader` then has all of them.
    static func read(_ reader: SettingsReader) -> SettingValues? {
        let values = SettingValues(all, reader)
        reader.requireDifferent(
            try? values[secretKey], secretKey.name, from: try? values[sharedSecret], sharedSecret.name)
        if let location = try? values[database], location.isFile {
            reader.addCheck {
                await $0.checkDatabase(location, database.name, inspecting: ProgramDatabase.relyingParty.inspect)
            }
        }
        reader.checkListen(values, listen, metrics: metricsListen, publicURL: publicURL)
        reader.reportExampleSecrets(publicURL: try? values[publicURL], listen: try? values[listen])
        return reader.problems.isEmpty ? values : nil
    }

    /// As registered at the identity provider.
    static func redirectURI(_ values: SettingValues) throws(SettingError) -> String {
        try values[publicURL].text + SSOPath.callback
    }

    /// As the identity provider registers it. Every pending sign-in holds it, and they share one cookie.
    @Sendable private static func checkedRedirectURI(_ text: String) throws -> String {
        try RedirectURI.check(text)
        guard text.utf8.count <= 255 else { throw SettingError("must have at most 255 bytes.") }
        guard !text.hasPrefix("http:") else {
            throw SettingError("\"\(text)\" must open an app: a private scheme with a dot, or https.")
        }
        return text
    }

    /// No browser compares this origin, so the default port of https is accepted.
    @Sendable private static func origin(_ text: String) throws -> String {
        guard let url = try? WebURL(text), url.isOrigin else {
            throw SettingError("must be an origin without user, path and query, for example https://idp.example.com.")
        }
        return url.origin
    }

    /// The form of every registered id: any other is a mistake.
    @Sendable private static func wellFormedID(_ text: String) throws -> String {
        guard ClientID.isWellFormed(text) else {
            throw SettingError(
                "\"\(text)\" must be \(ClientID.rule). Copy it from the IdP, for example partner.")
        }
        return text
    }

    @Sendable private static func certificateFile(_ path: String) throws -> String {
        if let fault = HTTPClient.problem(withCAFile: path) { throw SettingError(fault) }
        return path
    }
}

extension NodeDescription {
    /// This process for the others on its database.
    init(relyingParty values: SettingValues) throws(SettingError) {
        try self.init(
            values, publicURL: RelyingPartySettings.publicURL, keys: RelyingPartySettings.secretKey,
            version: ThisBuild.stamp.text,
            settings: [RelyingPartySettings.clientID.name, RelyingPartySettings.sharedSecret.name])
    }
}

extension BackChannelClient {
    /// The client that the settings describe.
    init(
        _ values: SettingValues, limits: HTTPLimits = .init(),
        notePreviousSecret: @escaping @Sendable () -> Void = {}
    ) throws {
        try self.init(
            origin: try values[RelyingPartySettings.backChannel], clientID: try values[RelyingPartySettings.clientID],
            secret: try values[RelyingPartySettings.sharedSecret],
            requireSignedResponse: try values[RelyingPartySettings.requiresSignedResponse],
            caFile: try values[RelyingPartySettings.caFile],
            allowPlaintext: try values[RelyingPartySettings.allowsPlaintext], limits: limits,
            notePreviousSecret: notePreviousSecret)
    }
}
