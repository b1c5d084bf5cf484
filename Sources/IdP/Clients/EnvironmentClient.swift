import SSOShared
import SSOWeb

/// The registry of one relying party straight from the environment: enough for the two-service case.
enum EnvironmentClient {
    /// The client that the `SSO_…` settings describe; nil when there are none, or when `reader` was told what is wrong.
    static func read(_ reader: SettingsReader) -> PartnerClient? {
        let names = [
            "SSO_CLIENT_ID", "SSO_CLIENT_NAME", "SSO_REDIRECT_URIS", "SSO_SHARED_SECRET", "SSO_SHARED_SECRET_FILE",
        ]
        guard names.contains(where: { reader.text($0) != nil }) else { return nil }
        // Each is read before any is missed: all that is wrong is told at once.
        let id = reader.optional("SSO_CLIENT_ID", checkedID)
        if reader.text("SSO_CLIENT_ID") == nil { missing(reader, "SSO_CLIENT_ID", "Give one such as: partner") }
        let name = reader.value("SSO_CLIENT_NAME", default: id ?? "partner") { text in
            guard let name = DisplayName.ofClient(text) else {
                throw SettingError("must be 1 to 80 visible characters on one line.")
            }
            return name
        }
        let uris = reader.optional("SSO_REDIRECT_URIS", checkedURIs)
        if reader.text("SSO_REDIRECT_URIS") == nil {
            missing(reader, "SSO_REDIRECT_URIS", "Give one such as: https://partner.example.com/auth/sso/callback")
        }
        guard let secret = reader.sharedSecret("SSO_SHARED_SECRET"), let id, let name, let uris else { return nil }
        return PartnerClient(id: id, name: name, redirectURIs: uris, secrets: [secret])
    }

    private static func missing(_ reader: SettingsReader, _ name: String, _ hint: String) {
        reader.problem("\(name): is required for the relying party of the SSO_ settings and not set. \(hint)")
    }

    private static func checkedID(_ text: String) throws -> String {
        guard ClientID.isWellFormed(text) else {
            throw SettingError("\"\(text)\" must be lower-case letters, digits and -, at most 63.")
        }
        return text
    }

    private static func checkedURIs(_ text: String) throws -> [String] {
        // A blank separates as well: what it tears apart is no absolute address any more.
        let uris = text.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
        guard !uris.isEmpty else { throw SettingError("names no address.") }
        try RedirectURI.check(all: uris)
        return uris
    }
}
