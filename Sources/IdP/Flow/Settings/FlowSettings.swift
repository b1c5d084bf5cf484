package import SSOShared
package import SSOWeb

/// The settings of the IdP that several features read.
package enum FlowSettings {
    package static let listen = ListenAddress.setting("IDP", default: "127.0.0.1:8080", example: "127.0.0.1:9090")
    package static let publicURL = PublicURLSetting(
        "IDP", default: "http://localhost:8080", example: "https://idp.example.com")
    package static let secretKey = DerivedKeys.setting(
        "IDP_SECRET_KEY",
        "At least 32 bytes, and not the secret of a client. All codes, form tokens and device cookies derive from it. A comma-separated list rotates it: the first makes new values, all are accepted."
    )
    package static let trustedProxies = Setting(
        "IDP_TRUSTED_PROXIES", .empty, example: "127.0.0.1/32",
        "Networks of proxies whose X-Forwarded-For is believed. Without it all visitors count as the proxy's address.",
        warning: { text, reader in
            let items = text.split(whereSeparator: { $0 == "," || $0 == " " })
            let networks = try items.readAll { try Network($0) }
            for (item, network) in zip(items, networks) where network.exceedsPrivateRange {
                reader.warn(
                    "IDP_TRUSTED_PROXIES: \(item) is larger than any private network: every host in it can forge the address that "
                        + "limits and logs use. Use the proxy's own network, for example 10.1.2.0/24.")
            }
            return ClientAddress(trusted: networks)
        })

    /// That the gate answers nobody, about a client behind it.
    package static func gateWithoutProxies(_ client: String) -> String {
        "\(trustedProxies.name): is not set, and the client \(client) is behind the gate, which answers declared proxies only. "
            + "Use the network of its proxy, for example 127.0.0.1."
    }

    package static let require = Setting(
        "IDP_REQUIRE", default: Strength.any.rawValue, example: "phr",
        "The strength that a sign-in must have at least for every client: any, mfa or phr (a passkey). A client's own require may ask for more."
    ) { text throws(SettingError) in
        guard let strength = Strength(rawValue: text) else {
            throw SettingError("\"\(text)\" must be any, mfa or phr.")
        }
        return strength
    }
    package static let sessions = SessionSettings("IDP", idle: "2h", remember: "30d")
}
