import SSOShared
import SSOWeb

extension Brand {
    static let nameSetting = Setting(
        "IDP_NAME", default: "Main App", example: "Example ID",
        "The name of this IdP on its pages and in its emails, 1 to 80 characters.", programName)
    static let logo = Setting(
        "IDP_LOGO_FILE", example: "/etc/swift-sso/logo.svg", decorates: true,
        "The logo on the pages and the favicon: an SVG without scripts, or a PNG, of at most 64 KiB."
    ) { try LogoFile(path: $0) }.warningOfWriters()
    static let accent = Setting(
        "IDP_ACCENT_COLOR", example: "#1f5fbf", decorates: true,
        "The colour of links and buttons. It needs a contrast of 4.5:1 to white; dark pages use a lighter shade."
    ) { try AccentColor($0) }
    static let supportURL = Setting(
        "IDP_SUPPORT_URL", example: "mailto:help@example.com",
        "Where users get help: an https address or mailto:. Shown at the foot of every page."
    ) { try linkTarget($0, orEmail: true) }
    static let privacyURL = Setting(
        "IDP_PRIVACY_URL", example: "https://example.com/privacy",
        "The privacy notice. Shown at the foot of every page."
    ) { try linkTarget($0, orEmail: false) }

    static let settings: [any ReadableSetting] = [nameSetting, logo, accent, supportURL, privacyURL]

    init(_ values: SettingValues) throws(SettingError) {
        self.init(
            name: try values[Self.nameSetting], logo: try values[Self.logo], accent: try values[Self.accent],
            supportURL: try values[Self.supportURL], privacyURL: try values[Self.privacyURL])
    }

    /// A web address, or an email address as `mailto:`.
    private static func linkTarget(_ text: String, orEmail: Bool) throws -> String {
        if orEmail, text.hasPrefix("mailto:") {
            guard !text.contains("?"), let address = try? Entered.address(text) else {
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
