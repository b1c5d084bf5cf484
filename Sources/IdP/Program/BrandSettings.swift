import SSOShared
import SSOWeb

extension Brand {
    /// Reads `IDP_NAME`, `IDP_LOGO_FILE`, `IDP_ACCENT_COLOR`, `IDP_SUPPORT_URL` and `IDP_PRIVACY_URL`.
    ///
    /// - Returns: nil when there is a problem.
    static func read(_ reader: SettingsReader) -> Brand? {
        let name = reader.value("IDP_NAME", default: "Main App", programName)
        let logo = reader.optional("IDP_LOGO_FILE") { try LogoFile(path: $0) }
        let accent = reader.optional("IDP_ACCENT_COLOR") { try AccentColor($0) }
        let support = reader.optional("IDP_SUPPORT_URL") { try linkTarget($0, orEmail: true) }
        let privacy = reader.optional("IDP_PRIVACY_URL") { try linkTarget($0, orEmail: false) }
        return name.map {
            Brand(name: $0, logo: logo, accent: accent, supportURL: support, privacyURL: privacy)
        }
    }

    /// A web address, or an email address as `mailto:`.
    private static func linkTarget(_ text: String, orEmail: Bool) throws -> String {
        if orEmail, text.hasPrefix("mailto:") {
            guard let address = try? EmailAddress(String(text.dropFirst(7))) else {
                throw SettingError("\"\(text)\" must name one email address, such as mailto:help@example.com")
            }
            return "mailto:\(PercentCoding.encode(address.text, keeping: "@"))"
        }
        guard let url = try? WebURL(text), text.utf8.count <= 2048 else {
            throw SettingError(
                "\"\(text)\" must be an https address, such as https://example.com/help"
                    + (orEmail ? ", or an email address, such as mailto:help@example.com" : ""))
        }
        guard url.isHTTPS || url.authority.isLoopback else {
            throw SettingError("\"\(text)\" must be https, unless the host is loopback.")
        }
        return text
    }
}
