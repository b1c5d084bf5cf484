import IdPFlow
package import SSOWeb

/// The settings of passkeys.
package enum PasskeySettings {
    /// The relying party ID. Nil where the pages have an IP address: browsers make no passkey for one (WebAuthn Level 3, 5.1.3).
    package static let relyingPartyID = Setting(
        "IDP_PASSKEY_RP_ID", without: "the host of IDP_PUBLIC_URL",
        .text { (try? $0[FlowSettings.publicURL])?.host ?? "localhost" }, example: "example.com",
        "The domain that passkeys belong to: the host of IDP_PUBLIC_URL or a parent domain of it. With the first passkey it is fixed: docs/operations.md has the ways to move.",
        warning: { text, _ in try domain(text) }
    ).checked(warn)

    package static let offer = Setting(
        "IDP_PASSKEY_OFFER", default: true, example: "false",
        "Whether a sign-in by another method offers to set up a passkey, at most once in 30 days per browser.")

    package static let all: [any ReadableSetting] = [relyingPartyID, offer]

    private static func domain(_ text: String) throws(SettingError) -> String? {
        // Browsers make none for an address, and none for a name that ends with a dot.
        guard IPAddress(text) == nil, text.last != "." else { return nil }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isDomain = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
        }
        guard isDomain, text.utf8.count <= 253 else {
            throw SettingError("\"\(text)\" is not a domain in lower case, for example example.com.")
        }
        return text
    }

    private static func warn(_ domain: String?, _ reader: SettingsReader, _ values: SettingValues) {
        guard let origin = try? values[FlowSettings.publicURL] else { return }
        guard let domain else {
            reader.correct(relyingPartyID.name, "none")
            if !origin.isLoopback {
                reader.warn(
                    "\(relyingPartyID.name): passkeys are off, because browsers make none for an IP address. Use a domain in IDP_PUBLIC_URL."
                )
            }
            return
        }
        if !domain.contains("."), domain != origin.host {
            reader.warn("\(relyingPartyID.name): \(domain) is a top-level domain, for which browsers make no passkeys.")
        }
        if !covers(domain, origin.host) {
            reader.warn(
                "\(relyingPartyID.name): \(domain) is not \(origin.host) or a parent domain of it. Passkeys work only while https://\(domain)/.well-known/webauthn names \(origin.text)."
            )
        }
    }

    /// Whether pages of a host may use passkeys of a domain.
    static func covers(_ domain: String, _ host: String) -> Bool {
        host == domain || host.hasSuffix("." + domain)
    }
}
