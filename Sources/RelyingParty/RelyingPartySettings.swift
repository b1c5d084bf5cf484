import SSOShared
import SSOWeb

/// Every setting of the partner on one screen (contract 2).
struct RelyingPartySettings: Sendable {
    let publicURL: PublicOrigin
    let listen: ListenAddress
    let database: DatabaseLocation
    let keys: DerivedKeys
    /// Where browsers go to sign in.
    let idp: PublicOrigin
    /// Where tokens are verified: the same, unless the IdP is reached by another way from here.
    let backChannel: String
    let allowsPlaintextBackChannel: Bool
    let caFile: String?
    let requiresSignedResponse: Bool
    let clientID: String
    let secret: SharedSecret

    /// What is registered at the IdP for this partner.
    var redirectURI: String { publicURL.text + SSOPath.callback }

    static let names = [
        "RP_PUBLIC_URL", "RP_LISTEN", "RP_DATABASE_URL", "RP_IDP_URL", "RP_IDP_BACKCHANNEL_URL", "RP_CA_FILE",
        "RP_ALLOW_PLAINTEXT_BACKCHANNEL", "RP_REQUIRE_SIGNED_RESPONSE", "SSO_CLIENT_ID",
    ]
    static let secretNames = ["RP_SECRET_KEY", "SSO_SHARED_SECRET"]

    /// - Returns: nil when there is a problem; `reader` holds all of them then.
    static func read(_ reader: SettingsReader) -> RelyingPartySettings? {
        var publicURL = reader.value("RP_PUBLIC_URL", default: "http://localhost:8081", PublicOrigin.init)
        let includesSubdomains = reader.hstsIncludesSubdomains()
        publicURL?.includesSubdomains = includesSubdomains
        let listen = reader.value("RP_LISTEN", default: "127.0.0.1:8081", ListenAddress.init)
        let database = reader.value("RP_DATABASE_URL", default: "sqlite:var/rp.sqlite", DatabaseLocation.init)
        let keys = reader.sealingKeys("RP_SECRET_KEY")
        let idp = reader.value("RP_IDP_URL", default: "http://localhost:8080", PublicOrigin.init)
        let plaintext = reader.flag("RP_ALLOW_PLAINTEXT_BACKCHANNEL", default: false)
        let backChannel = reader.value("RP_IDP_BACKCHANNEL_URL", default: idp?.text ?? "http://localhost:8080") {
            try origin($0, allowsPlaintext: plaintext ?? false)
        }
        let caFile = reader.optional("RP_CA_FILE", certificateFile)
        let signed = reader.flag("RP_REQUIRE_SIGNED_RESPONSE", default: true)
        let clientID = reader.optional("SSO_CLIENT_ID", wellFormedID)
        if reader.text("SSO_CLIENT_ID") == nil {
            reader.problem("SSO_CLIENT_ID: is required and not set. It is the id the IdP has registered for you.")
        }
        let secret = reader.sharedSecret("SSO_SHARED_SECRET")
        reader.separate(keys, "RP_SECRET_KEY", from: secret, "SSO_SHARED_SECRET")

        if let database {
            reader.later { await $0.inspect(database, "RP_DATABASE_URL", migrations: RelyingPartyMigrations.all) }
        }
        if let listen { reader.later { await $0.inspect(listen, "RP_LISTEN") } }
        reader.settleExamples(publicURL: publicURL, listen: listen)
        guard reader.problems.isEmpty, let publicURL, let listen, let database, let keys, let idp, let plaintext,
            let backChannel, let signed, let clientID, let secret
        else { return nil }
        return RelyingPartySettings(
            publicURL: publicURL, listen: listen, database: database, keys: keys, idp: idp, backChannel: backChannel,
            allowsPlaintextBackChannel: plaintext, caFile: caFile, requiresSignedResponse: signed,
            clientID: clientID, secret: secret)
    }

    private static func origin(_ text: String, allowsPlaintext: Bool) throws -> String {
        // No browser compares this one: the port that https has anyway may stand there.
        let text = text.hasPrefix("https://") ? text.replacing(#/:443(/?)$/#) { "\($0.1)" } : text
        if allowsPlaintext, text.hasPrefix("http://") {
            // The same rule but for the scheme.
            return "http" + (try PublicOrigin("https" + text.dropFirst(4)).text.dropFirst(5))
        }
        do {
            return try PublicOrigin(text).text
        } catch {
            guard text.hasPrefix("http:") else { throw error }
            throw SettingFault(
                "\(error) For plain http inside one host's network set RP_ALLOW_PLAINTEXT_BACKCHANNEL=true")
        }
    }

    /// The shape that every registry has (contract 2): another id can only be a slip.
    private static func wellFormedID(_ text: String) throws -> String {
        guard ClientID.isWellFormed(text) else {
            throw SettingFault(
                "\"\(text)\" must be lower-case letters, digits and -, at most 63. Copy it from the IdP.")
        }
        return text
    }

    private static func certificateFile(_ path: String) throws -> String {
        if let fault = HTTPClient.problem(withCAFile: path) { throw SettingFault(fault) }
        return path
    }
}
