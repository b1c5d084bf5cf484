import SSOWeb

extension IdPSettings {
    /// Every setting of the IdP but the common ones, in the order of `--help`.
    static let table = [
        SettingDescription(
            "IDP_PUBLIC_URL", default: "http://localhost:8080", example: "https://idp.example.com",
            "The one origin in links, cookies and checks. It must be https, unless the host is loopback."),
        SettingDescription(
            "IDP_LISTEN", default: "127.0.0.1:8080", example: "127.0.0.1:9090",
            "The address and port to listen on. Keep it on loopback or in a private network: the proxy does TLS."),
        SettingDescription(
            "IDP_DATABASE_URL", default: "sqlite:var/idp.sqlite", example: "sqlite:/var/lib/swift-sso-idp/idp.sqlite",
            "The database file, on a local disk."),
        SettingDescription(
            "IDP_SECRET_KEY", default: "required", example: "the output of: openssl rand -hex 32", isSecret: true,
            "At least 32 bytes. All codes, form tokens and device cookies derive from it. A comma-separated list rotates it: the first makes new values, all are accepted."
        ),
        SettingDescription(
            "IDP_MAIL_URL", default: "required", example: "smtps://user:password@mail.example.com:465", isSecret: true,
            "The mail server: smtp:// (STARTTLS) or smtps://, with % @ / ? # in the login percent-encoded. outbox:FOLDER keeps emails in a folder, for a trial on this machine. Test it with: idp check --connect --mail-to you@example.com"
        ),
        SettingDescription(
            "IDP_MAIL_FROM", default: "required", example: "Main App <sign-in@example.com>",
            "The sender of emails: a name and an address."),
        SettingDescription(
            "IDP_MAIL_HOURLY_LIMIT", default: "1000", example: "5000",
            "Emails per hour across all addresses. Further emails wait."),
        SettingDescription(
            "IDP_INBOUND_MAIL_DOMAIN", default: "none", example: "reply.example.com",
            "The domain that receives replies to the email. Without it users cannot reply. See Replies by email in docs/operations.md."
        ),
        SettingDescription(
            "IDP_INBOUND_AUTHSERV_ID", default: "none", example: "mx.example.com",
            "Required with IDP_INBOUND_MAIL_DOMAIN: the name that your mail server writes first in Authentication-Results. It must remove that field with this name from mail of others."
        ),
        SettingDescription(
            "IDP_INBOUND_MAIL_SECRET", default: "none", example: "the output of: openssl rand -hex 32", isSecret: true,
            "Signs raw messages to POST /auth/mail/inbound, at least 32 bytes. Without it that path does not exist; idp mail deliver does not need it."
        ),
        SettingDescription(
            "IDP_ALLOWED_EMAILS", default: "none", example: "*@example.com, ann@partner.org",
            "Who may sign in: addresses and *@domain, separated by commas. While it is empty, nobody can. A removed address is signed out at the next start."
        ),
        SettingDescription(
            "IDP_NAME", default: "Main App", example: "Example ID",
            "The name of this IdP on its pages and in its emails."),
        SettingDescription(
            "IDP_LOGO_FILE", default: "none", example: "/etc/swift-sso/logo.svg",
            "The logo on the pages: an SVG or PNG file of at most 64 KiB."),
        SettingDescription(
            "IDP_ACCENT_COLOR", default: "none", example: "#1f5fbf",
            "The colour of links and buttons. It must be readable on white; dark pages use a lighter shade."),
        SettingDescription(
            "IDP_SUPPORT_URL", default: "none", example: "mailto:help@example.com",
            "Where users get help: an https address or mailto:. Shown at the foot of every page."),
        SettingDescription(
            "IDP_PRIVACY_URL", default: "none", example: "https://example.com/privacy",
            "The privacy notice. Shown at the foot of every page."),
        SettingDescription(
            "IDP_CLIENTS_FILE", default: "none", example: "/etc/swift-sso/clients.yaml",
            "The clients as a YAML file, see deploy/clients.example.yaml. A change needs a restart."),
        SettingDescription(
            "IDP_PROVIDERS_FILE", default: "none", example: "/etc/swift-sso/providers.yaml",
            "The accounts elsewhere that users may sign in with (Apple, Google, any OpenID provider), see deploy/providers.example.yaml. SIGHUP reads it again."
        ),
        SettingDescription(
            "SSO_CLIENT_ID", default: "none", example: "partner",
            "One client without a file: its id. The relying party has the same one."),
        SettingDescription(
            "SSO_CLIENT_NAME", default: "the id", example: "Partner service",
            "The name of that client, which users see."),
        SettingDescription(
            "SSO_REDIRECT_URIS", default: "none", example: "https://partner.example.com/auth/sso/callback",
            "The redirect URIs of that client, separated by commas. A request must name one of them byte for byte."),
        SettingDescription(
            "SSO_SHARED_SECRET", default: "none", example: "the output of: openssl rand -hex 32", isSecret: true,
            "The secret of that client, at least 32 bytes. The relying party has the same one."),
        SettingDescription(
            "IDP_TRUSTED_PROXIES", default: "none", example: "127.0.0.1/32",
            "Networks of proxies whose X-Forwarded-For is believed. Without it all visitors count as the proxy's address."
        ),
        SettingDescription(
            "IDP_APPLE_APP_IDS", default: "none", example: "ABCDE12345.com.example.app",
            "Apps for apple-app-site-association: team id, dot, bundle id. Without them the file answers 404."),
        SettingDescription(
            "IDP_ANDROID_APPS", default: "none", example: "com.example.app=SHA256_OF_THE_SIGNING_CERTIFICATE",
            "Apps for assetlinks.json: package name, =, fingerprint. Without them the file answers 404."),
        SettingDescription(
            "IDP_AASA_FILE", default: "none", example: "/etc/swift-sso/apple-app-site-association",
            "An apple-app-site-association of your own instead of IDP_APPLE_APP_IDS. SIGHUP reads it again."),
        SettingDescription(
            "IDP_ASSETLINKS_FILE", default: "none", example: "/etc/swift-sso/assetlinks.json",
            "An assetlinks.json of your own instead of IDP_ANDROID_APPS. SIGHUP reads it again."),
        SettingDescription(
            "IDP_NATIVE_APPS", default: "none", example: "com.example.app:/callback",
            "Redirect URIs of apps that sign in through the system browser, separated by commas. A request must name one of them byte for byte."
        ),
        SettingDescription(
            "IDP_LINK_TESTER", default: "true on loopback, else false", example: "true",
            "Whether a page shows which app opens a link. Its address is printed at start."),
        SettingDescription(
            "IDP_LIMIT_EMAIL_POSTS", default: "200", example: "500", "Addresses submitted per hour and network."),
        SettingDescription(
            "IDP_LIMIT_CODE_POSTS", default: "400", example: "1000", "Codes submitted per hour and network."),
        SettingDescription(
            "IDP_LIMIT_NEW_SESSIONS", default: "1000", example: "2000", "Sessions begun per hour and network."),
        SettingDescription(
            "IDP_LIMIT_BAD_SIGNATURES", default: "6000", example: "600",
            "Requests with a wrong signature per minute and network."),
    ]
}
