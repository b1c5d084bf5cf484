package import IdPClients
import SSOShared
import SSOWeb

/// The keys of a client's entry for `/auth/sso`.
package struct SSOSettings: ClientProtocolSettings {
    package static let id = "sso"
    package static let keys = [Key.logoutURI.description, Key.signOutURIs.description]
    package static let callbackFields = RedirectURI.callbackFields
    package static let signsRequests = true

    /// Where the client takes sign-out messages.
    package var logoutURI: String?
    /// Where `/auth/sso/sign-out` may go back to.
    package var signOutURIs: [String] = []

    /// Of a client whose entry has none of the keys.
    package init() {}

    package init?(_ reader: ClientKeyReader) {
        let (logout, signOut) = (reader.value(Key.logoutURI), reader.value(Key.signOutURIs))
        guard let logout, let signOut else { return nil }
        (logoutURI, signOutURIs) = (logout, signOut)
    }

    package var signOutAddress: String? { logoutURI }
    package var returnAddresses: [String] { signOutURIs }
    package func lines(
        for client: Client, secret: String?, issuer: String, program: String
    ) -> [(file: String?, text: String)] {
        [(nil, "SSO_CLIENT_ID=\(client.id)\nSSO_SHARED_SECRET=\(secret ?? "")\nRP_IDP_URL=\(issuer)\n")]
    }
    package var shown: [(name: String, values: [String])] {
        [("logout_uri", logoutURI.map { [$0] } ?? []), ("sign_out_uris", signOutURIs)]
    }

    private enum Key {
        static let logoutURI = ClientKey.text(
            "logout_uri", example: "https://partner.example.com/auth/sso/logout",
            option: .init("Where sign-out messages go.", value: "url"), "where sign-out messages go", [.address]
        ) { try $1.checkMessageAddress($0, example: "https://partner.example.com/auth/sso/logout") }
        static let signOutURIs = ClientKey.list(
            "sign_out_uris", maximum: 20, example: "[https://partner.example.com/bye]",
            option: .init(
                "Where a sign-out may go back to; may be repeated, up to 20 times.", name: "sign-out-uri", value: "url"),
            "where `/auth/sso/sign-out` may go back to", [.address]
        ) { text, reader in
            try reader.checkWebAddress(text, adding: ["state"], example: "https://partner.example.com/bye")
            guard text.hasPrefix("https:") || reader.plainHosts == .privateNetworks else {
                throw SettingError("\"\(text)\" must be https, for example https://partner.example.com/bye.")
            }
        }
    }
}

extension Client {
    /// Nil for a client that does not use `/auth/sso`.
    package var sso: SSOSettings? {
        get { self[SSOSettings.self] }
        set { self[SSOSettings.self] = newValue }
    }
}
