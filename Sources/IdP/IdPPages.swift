import SSOWeb

/// The IdP's templates, styles and scripts, which are compiled in.
enum IdPPages {
    static let assets = StaticAssets([
        "brand.css": PackageResources.idp_brand_css, "continue.js": PackageResources.continue_js,
        "sign-in.js": PackageResources.sign_in_js,
    ])

    static func pages(assets: StaticAssets) throws -> Pages {
        try Pages(
            brand: "Main App",
            templates: [
                "completion": PackageResources.completion_mustache,
                "device": PackageResources.device_mustache,
                "email-code": PackageResources.email_code_mustache,
                "email-code-message-html": PackageResources.email_code_message_html_mustache,
                "email-code-message-text": PackageResources.email_code_message_text_mustache,
                "link-tester": PackageResources.link_tester_mustache,
                "home": PackageResources.home_mustache,
                "mailbox": PackageResources.mailbox_mustache,
                "sign-in": PackageResources.sign_in_mustache,
                "welcome": PackageResources.welcome_mustache,
            ], assets: assets)
    }
}
