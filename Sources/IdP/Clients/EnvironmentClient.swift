import SSOShared
import SSOWeb

/// The registry of one relying party straight from the environment: enough for the two-service case.
enum EnvironmentClient {
    /// The client that the `SSO_…` settings describe; nil without such settings, and for settings with problems, which `reader` has.
    static func read(_ reader: SettingsReader) -> Client? {
        let names = [
            "SSO_CLIENT_ID", "SSO_CLIENT_NAME", "SSO_REDIRECT_URIS", "SSO_SHARED_SECRET", "SSO_SHARED_SECRET_FILE",
        ]
        guard names.contains(where: { reader.text($0) != nil }) else { return nil }
        // All are read before any is required, so that all problems are reported at once.
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
        return Client(id: id, name: name, redirectURIs: uris, secrets: [secret])
    }

    private static func missing(_ reader: SettingsReader, _ name: String, _ hint: String) {
        reader.problem("\(name): is required for the relying party of the SSO_ settings and not set. \(hint)")
    }

    private static func checkedID(_ text: String) throws -> String {
        guard ClientID.isWellFormed(text) else {
            throw SettingError("\"\(text)\" must be at most 63 lower-case letters, digits and -, such as: partner")
        }
        return text
    }

    private static func checkedURIs(_ text: String) throws -> [String] {
        // A space separates as well. An absolute URL contains none.
        let uris = text.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
        guard !uris.isEmpty else { throw SettingError("must list at least one URL.") }
        try RedirectURI.check(all: uris)
        return uris
    }
}
