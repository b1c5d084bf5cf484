import SSOShared
import SSOWeb
import Storage
import StorageEngines
import ThisBuild

/// The settings of the relying party (docs/settings.md).
struct RelyingPartySettings: Sendable {
    let publicURL: PublicOrigin
    let listen: ListenAddress
    let database: DatabaseLocation
    let keys: DerivedKeys
    /// Where browsers go to sign in.
    let idp: PublicOrigin
    /// Where tokens are verified: the same origin, unless the identity provider has another address in this network.
    let backChannel: String
    let allowsPlaintextBackChannel: Bool
    let caFile: String?
    let requiresSignedResponse: Bool
    let sessionCheck: SessionCheckInterval
    /// Where metrics are served; nil for nowhere.
    let metricsListen: MetricsListen?
    let sessionLifetime: SessionLifetime
    let clientID: String
    /// The names of this service and of the identity provider on the pages.
    let name, idpName: String
    let secret: SharedSecret

    /// As registered at the identity provider.
    var redirectURI: String { publicURL.text + SSOPath.callback }
    /// The second one, for an app whose web view shows this service.
    let nativeRedirectURI: String?

    static let publicURLSetting = Setting(
        "RP_PUBLIC_URL", default: "http://localhost:8081", example: "https://partner.example.com",
        "The one origin in links, cookies and checks. It must be https, unless the host is loopback.",
        { try PublicOrigin($0) })
    static let listenSetting = Setting(
        "RP_LISTEN", default: "127.0.0.1:8081", example: "127.0.0.1:9091",
        "The address and port to listen on. Keep it on loopback or in a private network: the proxy does TLS.",
        { try ListenAddress($0) })
    static let databaseSettings = DatabaseSettings(
        "RP", file: ("sqlite:var/rp.sqlite", "sqlite:/var/lib/swift-sso-relying-party/rp.sqlite"),
        postgres: ProgramDatabase.relyingParty.postgres)
    static let secretKey = SettingDescription(
        "RP_SECRET_KEY", without: "required", example: "the output of: openssl rand -hex 32", isSecret: true,
        "At least 32 bytes, and not the shared secret. A comma-separated list rotates it: the first makes new values, all are accepted."
    )
    static let idpSetting = Setting(
        "RP_IDP_URL", default: "http://localhost:8080", example: "https://idp.example.com",
        "The identity provider, where browsers sign in.", { try PublicOrigin($0) })
    static let backChannelSetting = Setting(
        "RP_IDP_BACKCHANNEL_URL", without: "RP_IDP_URL", example: "https://id.internal:8443",
        "Where tokens are verified, if that has another address in your network.", origin)
    static let plaintextSetting = Setting(
        "RP_ALLOW_PLAINTEXT_BACKCHANNEL", default: false, example: "true",
        "Whether the back channel may use unencrypted http to another machine.")
    static let caFileSetting = Setting(
        "RP_CA_FILE", without: "system roots", example: "/etc/swift-sso/authority.pem",
        "Further certificate authorities for the back channel, as PEM. TLS is always verified.", certificateFile)
    static let signedResponseSetting = Setting(
        "RP_REQUIRE_SIGNED_RESPONSE", default: true, example: "false",
        "Whether to refuse a back-channel response without a valid signature.")
    static let sessionCheckSetting = Setting(
        "RP_SESSION_CHECK", default: "5m", example: "15m",
        "How long a session is in use before the identity provider is asked whether it still holds, 1m to 60m. off: never.",
        { try SessionCheckInterval($0) })
    static let metricsListenSetting = MetricsListen.setting("RP", port: 9465)
    static let sessionSettings = SessionSettings("RP", idle: "1h")
    static let nameSetting = Setting(
        "RP_NAME", default: "Partner service", example: "Example Wiki", "The name of this service on its pages.",
        Brand.programName)
    static let idpNameSetting = Setting(
        "RP_IDP_NAME", default: "Main App", example: "Example ID",
        "The name of the identity provider on the pages.", Brand.programName)
    static let nativeRedirectURISetting = Setting(
        "RP_NATIVE_REDIRECT_URI", example: "com.example.partner:/callback",
        "Where a sign-in in the web view of your app comes back to the app. Register it at the identity provider as well.",
        nativeRedirectURI)
    static let clientIDSetting = Setting(
        "SSO_CLIENT_ID", without: "required", example: "partner",
        "The id that the identity provider has registered for this service.", wellFormedID)
    static let sharedSecret = SettingDescription(
        "SSO_SHARED_SECRET", without: "required", example: "the output of: openssl rand -hex 32", isSecret: true,
        "The secret that the identity provider has registered for this service.")

    /// Every setting of the relying party but the common ones, in the order of `--help`.
    static let table =
        [publicURLSetting.description, listenSetting.description] + databaseSettings.descriptions + [
            secretKey, idpSetting.description, backChannelSetting.description, plaintextSetting.description,
            caFileSetting.description, signedResponseSetting.description, sessionCheckSetting.description,
            metricsListenSetting.description,
        ] + sessionSettings.descriptions + [
            nameSetting.description, idpNameSetting.description, nativeRedirectURISetting.description,
            clientIDSetting.description, sharedSecret,
        ]

    /// - Returns: nil when there is a problem. `reader` then has all of them.
    static func read(_ reader: SettingsReader) -> RelyingPartySettings? {
        var publicURL = reader.value(publicURLSetting)
        let includesSubdomains = reader.hstsIncludesSubdomains()
        publicURL?.includesSubdomains = includesSubdomains
        let listen = reader.value(listenSetting)
        let database = databaseSettings.read(reader)
        let keys = reader.derivedKeys(secretKey.name)
        let idp = reader.value(idpSetting)
        let plaintext = reader.value(plaintextSetting)
        let backChannel = reader.value(backChannelSetting, default: idp?.text ?? "http://localhost:8080")
        if let backChannel { checkEncryption(of: backChannel, allowsPlaintext: plaintext ?? false, reader) }
        let caFile = reader.value(caFileSetting)
        let signed = reader.value(signedResponseSetting)
        let sessionCheck = reader.value(sessionCheckSetting)
        let metricsListen = reader.value(metricsListenSetting)
        // The session of an app cannot be ended here from another device, so it ends by itself.
        let sessionLifetime = sessionSettings.read(reader, appAbsolute: .days(90))
        let name = reader.value(nameSetting)
        let idpName = reader.value(idpNameSetting)
        let native = reader.value(nativeRedirectURISetting)
        if let native, native == publicURL.map({ $0.text + SSOPath.callback }) {
            reader.problem(
                "\(nativeRedirectURISetting.name): \"\(native)\" is the callback for browsers already. Use a URI that opens your app."
            )
        }
        let clientID = reader.required(
            clientIDSetting, hint: "Use the id that the IdP has registered for you, for example partner.")
        let secret = reader.sharedSecret(sharedSecret.name)
        reader.requireDifferent(keys, secretKey.name, from: secret, sharedSecret.name)

        if let database, database.isFile {
            reader.addCheck {
                await $0.checkDatabase(
                    database, databaseSettings.url.name, inspecting: ProgramDatabase.relyingParty.inspect)
            }
        }
        for (address, name) in [(listen, listenSetting.name), (metricsListen?.address, metricsListenSetting.name)] {
            if let address { reader.addCheck { await $0.checkListenAddress(address, name) } }
        }
        reader.reportExampleSecrets(publicURL: publicURL, listen: listen)
        guard reader.problems.isEmpty, let publicURL, let listen, let database, let keys, let idp, let plaintext,
            let backChannel, let signed, let sessionCheck, let sessionLifetime, let clientID, let secret, let name,
            let idpName
        else { return nil }
        return RelyingPartySettings(
            publicURL: publicURL, listen: listen, database: database, keys: keys, idp: idp, backChannel: backChannel,
            allowsPlaintextBackChannel: plaintext, caFile: caFile, requiresSignedResponse: signed,
            sessionCheck: sessionCheck, metricsListen: metricsListen, sessionLifetime: sessionLifetime,
            clientID: clientID, name: name, idpName: idpName, secret: secret, nativeRedirectURI: native)
    }

    /// As the identity provider registers it. Every pending sign-in holds it, and they share one cookie.
    @Sendable private static func nativeRedirectURI(_ text: String) throws -> String {
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

    private static func checkEncryption(of origin: String, allowsPlaintext: Bool, _ reader: SettingsReader) {
        guard !allowsPlaintext, let url = try? WebURL(origin), !url.isHTTPS, !url.authority.isLoopback else { return }
        reader.problem(
            "\(backChannelSetting.name): \"\(origin)\" must be https, for example https://idp.example.com, unless the host is "
                + "loopback. To allow unencrypted http to another machine set \(plaintextSetting.name)=true.")
    }

    /// The form of every registered id: any other is a mistake.
    @Sendable private static func wellFormedID(_ text: String) throws -> String {
        guard ClientID.isWellFormed(text) else {
            throw SettingError(
                "\"\(text)\" must be at most 63 lower-case letters, digits and -. Copy it from the IdP, for example partner."
            )
        }
        return text
    }

    @Sendable private static func certificateFile(_ path: String) throws -> String {
        if let fault = HTTPClient.problem(withCAFile: path) { throw SettingError(fault) }
        return path
    }
}

extension RelyingPartySettings {
    /// This process for the others on its database.
    var node: NodeDescription {
        NodeDescription(
            publicURL: publicURL, Self.publicURLSetting.name, keys: keys, Self.secretKey.name,
            version: ThisBuild.stamp.text)
    }
}

extension BackChannelClient {
    /// The client that the settings describe.
    init(
        _ settings: RelyingPartySettings, limits: HTTPLimits = .init(),
        notePreviousSecret: @escaping @Sendable () -> Void = {}
    ) throws {
        try self.init(
            origin: settings.backChannel, clientID: settings.clientID, secret: settings.secret,
            requireSignedResponse: settings.requiresSignedResponse, caFile: settings.caFile,
            allowPlaintext: settings.allowsPlaintextBackChannel, limits: limits,
            notePreviousSecret: notePreviousSecret)
    }
}
