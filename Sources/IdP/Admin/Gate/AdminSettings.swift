package import SSOShared
package import SSOWeb
import Storage

/// The settings of the admin pages beside `IDP_ADMINS`.
package enum AdminSettings {
    package static let networks: Setting<[Network]> = Setting(
        "IDP_ADMIN_NETWORKS", .empty, example: "10.0.0.0/8, 2001:db8::/48",
        "Networks from which the admin pages exist, separated by commas. Elsewhere /admin is an unknown path."
    ) { text in
        let networks = try text.split(whereSeparator: { $0 == "," || $0 == " " }).readAll { try Network($0) }
        // No network at all would open the pages everywhere, to which nobody has agreed who set a text.
        guard text.isEmpty || !networks.isEmpty else {
            throw SettingError(
                "\"\(text)\" names no network, and must name at least one, for example 10.0.0.0/8. To open the admin pages "
                    + "everywhere, remove the setting.")
        }
        return networks
    }

    package static let require = Setting(
        "IDP_ADMIN_REQUIRE", default: Strength.any.rawValue, example: "phr",
        "The strength of the sign-in that a change on an admin page needs, within the last ten minutes: any, mfa or phr (a passkey)."
    ) { text throws(SettingError) in
        guard let strength = Strength(rawValue: text) else {
            throw SettingError("\"\(text)\" must be any, mfa or phr.")
        }
        return strength
    }
}
