import Logging
import SSOShared
import SSOWeb

/// The outside world as values: what the IdP reaches beyond its own memory.
struct IdPServices: Sendable {
    let database: any Database
    let mailer: any Mailer
    let clock: ServiceClock
    let randomness: any Randomness
    let logger: Logger
    /// The paths of the pages for a trial.
    let devPages: DevPages
    /// Pages in place of the built-in ones, for tests.
    var pages: Pages?

    /// The real services, as the settings say.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` when the database cannot be used, ``SettingError`` when the outbox folder
    ///   cannot; in one clear line.
    static func live(_ settings: IdPSettings, logger: Logger) async throws -> IdPServices {
        if let problem = (settings.mail.mailer() as? OutboxMailer)?.problem {
            throw SettingError("IDP_MAIL_URL: \(problem)")
        }
        return IdPServices(
            database: try await SQLiteDatabase(path: settings.database.path, migrations: IdPMigrations.all),
            mailer: settings.mail.mailer(), clock: .system(), randomness: SystemRandomness(), logger: logger,
            devPages: try DevPages(randomness: SystemRandomness()))
    }
}

/// The IdP's templates, texts, styles and scripts, which are compiled in.
enum IdPPages {
    static func assets(_ brand: Brand, clients: ClientRegistry = ClientRegistry([])) -> StaticAssets {
        StaticAssets(
            [
                "brand.css": PackageResources.idp_brand_css, "icon.svg": PackageResources.idp_icon_svg,
                "continue.js": PackageResources.continue_js, "native.js": PackageResources.native_js,
                "sign-in.js": PackageResources.sign_in_js,
                "provider-apple.svg": PackageResources.provider_apple_svg,
                "provider-github.svg": PackageResources.provider_github_svg,
                "provider-google.svg": PackageResources.provider_google_svg,
                "provider-microsoft.svg": PackageResources.provider_microsoft_svg,
            ].merging(brand.assets) { $1 }.merging(ClientLogos.files(of: clients)) { $1 })
    }

    static let texts: [Language: [UInt8]] = [.english: PackageResources.en_json, .german: PackageResources.de_json]

    static let templates = [
        "account": PackageResources.account_mustache,
        "account-notice-html": PackageResources.account_notice_html_mustache,
        "account-notice-text": PackageResources.account_notice_text_mustache,
        "completion": PackageResources.completion_mustache,
        "device": PackageResources.device_mustache,
        "email-code": PackageResources.email_code_mustache,
        "email-code-message-html": PackageResources.email_code_message_html_mustache,
        "email-code-message-text": PackageResources.email_code_message_text_mustache,
        "email-link": PackageResources.email_link_mustache,
        "email-link-ended": PackageResources.email_link_ended_mustache,
        "identity-confirm": PackageResources.identity_confirm_mustache,
        "link-tester": PackageResources.link_tester_mustache,
        "home": PackageResources.home_mustache,
        "native-confirm": PackageResources.native_confirm_mustache,
        "native-continue": PackageResources.native_continue_mustache,
        "native-link": PackageResources.native_link_mustache,
        "native-link-end": PackageResources.native_link_end_mustache,
        "native-start": PackageResources.native_start_mustache,
        "mailbox": PackageResources.mailbox_mustache,
        "provider-continue": PackageResources.provider_continue_mustache,
        "provider-known-address": PackageResources.provider_known_address_mustache,
        "signed-out": PackageResources.signed_out_mustache,
        "signed-in-elsewhere": PackageResources.signed_in_elsewhere_mustache,
        "sign-in": PackageResources.sign_in_mustache,
        "welcome": PackageResources.welcome_mustache,
    ]

    static func pages(_ brand: Brand, assets: StaticAssets) throws -> Pages {
        try Pages(brand: brand, templates: templates, texts: texts, assets: assets)
    }
}
