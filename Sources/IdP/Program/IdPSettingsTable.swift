import IdPAccounts
import IdPApps
import IdPClients
import IdPFlow
import IdPMail
import IdPProtocols
import IdPProviders
import IdPSignIn
import SSOShared
import SSOWeb
import Storage
import StorageEngines
import WellKnown

/// The settings of the IdP, each in one place. Those of a feature are with the feature.
extension IdPSettings {
    static let publicURLSetting = Setting(
        "IDP_PUBLIC_URL", default: "http://localhost:8080", example: "https://idp.example.com",
        "The one origin in links, cookies and checks. It must be https, unless the host is loopback.",
        { try PublicOrigin($0) })
    static let listenSetting = Setting(
        "IDP_LISTEN", default: "127.0.0.1:8080", example: "127.0.0.1:9090",
        "The address and port to listen on. Keep it on loopback or in a private network: the proxy does TLS.",
        { try ListenAddress($0) })
    static let databaseSettings = DatabaseSettings(
        "IDP", file: ("sqlite:var/idp.sqlite", "sqlite:/var/lib/swift-sso-idp/idp.sqlite"),
        postgres: ProgramDatabase.idp.postgres)
    static let metricsListenSetting = MetricsListen.setting("IDP", port: 9464)
    static let secretKey = SettingDescription(
        "IDP_SECRET_KEY", without: "required", example: "the output of: openssl rand -hex 32", isSecret: true,
        "At least 32 bytes, and not the secret of a client. All codes, form tokens and device cookies derive from it. A comma-separated list rotates it: the first makes new values, all are accepted."
    )
    static let mailURLSetting = SettingDescription(
        "IDP_MAIL_URL", without: "required", example: "smtps://user:password@mail.example.com:465", isSecret: true,
        "The mail server: smtp:// (STARTTLS) or smtps://, with % @ / ? # in the login percent-encoded. Several with commas between them are tried in order. outbox:FOLDER keeps emails in a folder, for a trial on this machine. Test it with: idp check --connect --mail-to you@example.com"
    )
    static let mailFromSetting = Setting(
        "IDP_MAIL_FROM", without: "required", example: "Main App <sign-in@example.com>",
        "The sender of emails: a name and an address."
    ) { text in
        do { return try MailFrom(text) } catch { throw SettingError("\"\(text)\" \(error)") }
    }
    static let mailHourlyLimitSetting = Setting(
        "IDP_MAIL_HOURLY_LIMIT", default: 1000, in: counts, example: "5000",
        "Emails per hour across all addresses. Further emails wait. A share is kept for accounts.")
    static let allowedEmailsSetting = Setting(
        "IDP_ALLOWED_EMAILS", example: "*@example.com, ann@partner.org",
        "Who may sign in: addresses and *@domain, separated by commas, beside users whom you invite or import. While it is empty, only those can. A removed address is signed out at the next start.",
        { try AllowedEmails($0) })
    static let trustedProxiesSetting = Setting(
        "IDP_TRUSTED_PROXIES", example: "127.0.0.1/32",
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
    static let placesSetting = Setting(
        "IDP_PLACES", example: "10.1.0.0/16=Office Berlin, 10.8.0.0/16=VPN",
        "Names of networks as NETWORK=NAME, separated by commas; the first that fits counts. An email with a code says from which one it was requested, or that it was none of them.",
        { try Places($0) })
    static let appleApps = Setting(
        "IDP_APPLE_APP_IDS", example: "ABCDE12345.com.example.app",
        "Apps for apple-app-site-association: team id, dot, bundle id. Without them the file answers 404.",
        { try AppleAppID.list($0) })
    static let androidApps = Setting(
        "IDP_ANDROID_APPS", example: "com.example.app=SHA256_OF_THE_SIGNING_CERTIFICATE",
        "Apps for assetlinks.json: package name, =, fingerprint. Without them the file answers 404.",
        { try AndroidApp.list($0) })
    static let aasaFile = SettingDescription(
        "IDP_AASA_FILE", example: "/etc/swift-sso/apple-app-site-association",
        "An apple-app-site-association of your own instead of IDP_APPLE_APP_IDS. SIGHUP reads it again.")
    static let assetLinksFile = SettingDescription(
        "IDP_ASSETLINKS_FILE", example: "/etc/swift-sso/assetlinks.json",
        "An assetlinks.json of your own instead of IDP_ANDROID_APPS. SIGHUP reads it again.")
    static let nativeAppsSetting = Setting(
        "IDP_NATIVE_APPS", example: "com.example.app:/callback=Example",
        "Redirect URIs of apps that sign in through the system browser, separated by commas: https, a private scheme with a dot, or loopback http. A request must name one of them byte for byte. After = stands the name that users see.",
        warning: { text, reader in try NativeApps.read(text, warn: reader.warn) })
    static let linkTesterSetting = Setting(
        "IDP_LINK_TESTER", without: "true on loopback, else false", example: "true",
        "Whether a page shows which app opens a link. Its address is printed at start.")
    static let emailPostsLimit = Setting(
        "IDP_LIMIT_EMAIL_POSTS", default: 200, in: counts, example: "500",
        "Addresses submitted per hour and network. Known browsers are not counted.")
    static let codePostsLimit = Setting(
        "IDP_LIMIT_CODE_POSTS", default: 400, in: counts, example: "1000", "Codes submitted per hour and network.")
    static let newSessionsLimit = Setting(
        "IDP_LIMIT_NEW_SESSIONS", default: 1000, in: counts, example: "2000", "Sessions begun per hour and network.")
    static let badSignaturesLimit = Setting(
        "IDP_LIMIT_BAD_SIGNATURES", default: 6000, in: counts, example: "600",
        "Wrong signatures, and refused notifications of Apple, per minute and network.")

    static let sessionSettings = SessionSettings("IDP", idle: "2h", remember: "30d")
    static let auditDaysSetting = Setting(
        "IDP_AUDIT_DAYS", default: 90, in: 7...3650, example: "365",
        "Days that rows of the audit log are kept, 7 to 3650. idp audit shows them.")

    /// Every setting of the IdP but the common ones, in the order of `--help`.
    static let table: [SettingDescription] =
        [
            publicURLSetting.description, listenSetting.description,
        ] + databaseSettings.descriptions + [
            secretKey, mailURLSetting, MailTokenFile.setting.description, mailFromSetting.description,
            MailGreeting.setting.description, mailHourlyLimitSetting.description,
        ] + InboundMailSettings.descriptions + [allowedEmailsSetting.description] + Brand.descriptions
        + [ClientsFile.setting, ProvidersFile.setting] + EnvironmentClient.descriptions
        + [
            trustedProxiesSetting.description, placesSetting.description, appleApps.description,
            androidApps.description, aasaFile, assetLinksFile, nativeAppsSetting.description,
            linkTesterSetting.description, WebFingerFeature.setting.description, emailPostsLimit.description,
            codePostsLimit.description,
            newSessionsLimit.description,
            badSignaturesLimit.description, auditDaysSetting.description, metricsListenSetting.description,
        ] + sessionSettings.descriptions

    /// What a limit may be.
    private static let counts = 1...1_000_000
}
