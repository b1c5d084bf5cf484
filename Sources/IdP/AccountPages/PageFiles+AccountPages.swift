package import SSOWeb

extension PageFiles {
    /// The templates, texts and assets of this target.
    package static let accountPages = PageFiles(
        templates: [
            "activity": PackageResources.activity_mustache,
            "home": PackageResources.home_mustache,
            "sessions": PackageResources.sessions_mustache,
            "signed-out": PackageResources.signed_out_mustache,
            "welcome": PackageResources.welcome_mustache,
            "identity-confirm": PackageResources.identity_confirm_mustache,
            "account-notice-html": PackageResources.account_notice_html_mustache,
            "account-notice-text": PackageResources.account_notice_text_mustache,
        ],
        texts: [.english: PackageResources.en_json, .german: PackageResources.de_json])
}
