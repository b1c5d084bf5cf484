import SSOShared
import SSOWeb

/// The settings of the relying party (docs/operations.md).
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
    let clientID: String
    /// The names of this service and of the identity provider on the pages.
    let name, idpName: String
    let secret: SharedSecret

    /// As registered at the identity provider.
    var redirectURI: String { publicURL.text + SSOPath.callback }
    /// The second one, for an app whose web view shows this service.
    let nativeRedirectURI: String?

    /// Every setting of the relying party but the common ones, in the order of `--help`.
    static let table = [
        SettingDescription(
            "RP_PUBLIC_URL", default: "http://localhost:8081", example: "https://partner.example.com",
            "The one origin in links, cookies and checks. It must be https, unless the host is loopback."),
        SettingDescription(
            "RP_LISTEN", default: "127.0.0.1:8081", example: "127.0.0.1:9091",
            "The address and port to listen on. Keep it on loopback or in a private network: the proxy does TLS."),
        SettingDescription(
            "RP_DATABASE_URL", default: "sqlite:var/rp.sqlite", example: "sqlite:/var/lib/swift-sso-rp/rp.sqlite",
            "The database file for its sessions, on a local disk."),
        SettingDescription(
            "RP_SECRET_KEY", default: "required", example: "the output of: openssl rand -hex 32", isSecret: true,
            "At least 32 bytes, and not the shared secret. A comma-separated list rotates it: the first makes new values, all are accepted."
        ),
        SettingDescription(
            "RP_IDP_URL", default: "http://localhost:8080", example: "https://idp.example.com",
            "The identity provider, where browsers sign in."),
        SettingDescription(
            "RP_IDP_BACKCHANNEL_URL", default: "RP_IDP_URL", example: "https://id.internal:8443",
            "Where tokens are verified, if that has another address in your network."),
        SettingDescription(
            "RP_ALLOW_PLAINTEXT_BACKCHANNEL", default: "false", example: "true",
            "Whether the back channel may use unencrypted http to another machine."),
        SettingDescription(
            "RP_CA_FILE", default: "system roots", example: "/etc/swift-sso/authority.pem",
            "Further certificate authorities for the back channel, as PEM. TLS is always verified."),
        SettingDescription(
            "RP_REQUIRE_SIGNED_RESPONSE", default: "true", example: "false",
            "Whether to refuse a back-channel response without a valid signature."),
        SettingDescription(
            "RP_NAME", default: "Partner service", example: "Example Wiki",
            "The name of this service on its pages."),
        SettingDescription(
            "RP_IDP_NAME", default: "Main App", example: "Example ID",
            "The name of the identity provider on the pages."),
        SettingDescription(
            "RP_NATIVE_REDIRECT_URI", default: "none", example: "com.example.partner:/callback",
            "Where a sign-in in the web view of your app comes back to the app. Register it at the identity provider as well."
        ),
        SettingDescription(
            "SSO_CLIENT_ID", default: "required", example: "partner",
            "The id that the identity provider has registered for this service."),
        SettingDescription(
            "SSO_SHARED_SECRET", default: "required", example: "the output of: openssl rand -hex 32", isSecret: true,
            "The secret that the identity provider has registered for this service."),
    ]

    /// - Returns: nil when there is a problem. `reader` then has all of them.
    static func read(_ reader: SettingsReader) -> RelyingPartySettings? {
        var publicURL = reader.value("RP_PUBLIC_URL", default: "http://localhost:8081", PublicOrigin.init)
        let includesSubdomains = reader.hstsIncludesSubdomains()
        publicURL?.includesSubdomains = includesSubdomains
        let listen = reader.value("RP_LISTEN", default: "127.0.0.1:8081", ListenAddress.init)
        let database = reader.value("RP_DATABASE_URL", default: "sqlite:var/rp.sqlite", DatabaseLocation.init)
        let keys = reader.derivedKeys("RP_SECRET_KEY")
        let idp = reader.value("RP_IDP_URL", default: "http://localhost:8080", PublicOrigin.init)
        let plaintext = reader.flag("RP_ALLOW_PLAINTEXT_BACKCHANNEL", default: false)
        let backChannel = reader.value("RP_IDP_BACKCHANNEL_URL", default: idp?.text ?? "http://localhost:8080") {
            try origin($0, allowsPlaintext: plaintext ?? false)
        }
        let caFile = reader.optional("RP_CA_FILE", certificateFile)
        let signed = reader.flag("RP_REQUIRE_SIGNED_RESPONSE", default: true)
        let name = reader.value("RP_NAME", default: "Partner service", Brand.programName)
        let idpName = reader.value("RP_IDP_NAME", default: "Main App", Brand.programName)
        let native = reader.optional("RP_NATIVE_REDIRECT_URI") { try nativeRedirectURI($0, besides: publicURL) }
        let clientID = reader.optional("SSO_CLIENT_ID", wellFormedID)
        if reader.text("SSO_CLIENT_ID") == nil {
            reader.problem(
                "SSO_CLIENT_ID: is required and not set. Use the id that the IdP has registered for you, for example partner."
            )
        }
        let secret = reader.sharedSecret("SSO_SHARED_SECRET")
        reader.requireDifferent(keys, "RP_SECRET_KEY", from: secret, "SSO_SHARED_SECRET")

        if let database {
            reader.addCheck {
                await $0.checkDatabase(database, "RP_DATABASE_URL", migrations: RelyingPartyMigrations.all)
            }
        }
        if let listen { reader.addCheck { await $0.checkListenAddress(listen, "RP_LISTEN") } }
        reader.reportExampleSecrets(publicURL: publicURL, listen: listen)
        guard reader.problems.isEmpty, let publicURL, let listen, let database, let keys, let idp, let plaintext,
            let backChannel, let signed, let clientID, let secret, let name, let idpName
        else { return nil }
        return RelyingPartySettings(
            publicURL: publicURL, listen: listen, database: database, keys: keys, idp: idp, backChannel: backChannel,
            allowsPlaintextBackChannel: plaintext, caFile: caFile, requiresSignedResponse: signed,
            clientID: clientID, name: name, idpName: idpName, secret: secret, nativeRedirectURI: native)
    }

    /// As the identity provider registers it. Every pending sign-in holds it, and they share one cookie.
    private static func nativeRedirectURI(_ text: String, besides publicURL: PublicOrigin?) throws -> String {
        try RedirectURI.check(text)
        guard text.utf8.count <= 255 else { throw SettingError("must have at most 255 bytes.") }
        guard !text.hasPrefix("http:") else {
            throw SettingError("\"\(text)\" must open an app: a private scheme with a dot, or https.")
        }
        guard text != publicURL.map({ $0.text + SSOPath.callback }) else {
            throw SettingError("\"\(text)\" is the callback for browsers already. Use a URI that opens your app.")
        }
        return text
    }

    /// No browser compares this origin, so the default port of https is accepted.
    private static func origin(_ text: String, allowsPlaintext: Bool) throws -> String {
        guard let url = try? WebURL(text), url.isOrigin else {
            throw SettingError("must be an origin without user, path and query, for example https://idp.example.com.")
        }
        guard url.isHTTPS || allowsPlaintext || url.authority.isLoopback else {
            throw SettingError(
                "\"\(text)\" must be https, for example https://idp.example.com, unless the host is loopback. "
                    + "To allow unencrypted http to another machine set RP_ALLOW_PLAINTEXT_BACKCHANNEL=true.")
        }
        return url.origin
    }

    /// The form of every registered id: any other is a mistake.
    private static func wellFormedID(_ text: String) throws -> String {
        guard ClientID.isWellFormed(text) else {
            throw SettingError(
                "\"\(text)\" must be at most 63 lower-case letters, digits and -. Copy it from the IdP, for example partner."
            )
        }
        return text
    }

    private static func certificateFile(_ path: String) throws -> String {
        if let fault = HTTPClient.problem(withCAFile: path) { throw SettingError(fault) }
        return path
    }
}

extension BackChannelClient {
    /// The client that the settings describe.
    init(_ settings: RelyingPartySettings, limits: HTTPLimits = .init()) throws {
        try self.init(
            origin: settings.backChannel, clientID: settings.clientID, secret: settings.secret,
            requireSignedResponse: settings.requiresSignedResponse, caFile: settings.caFile,
            allowPlaintext: settings.allowsPlaintextBackChannel, limits: limits)
    }
}
