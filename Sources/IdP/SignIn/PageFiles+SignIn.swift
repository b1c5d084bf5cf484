package import SSOWeb

extension PageFiles {
    /// The templates, texts and assets of this target.
    package static let signIn = PageFiles(
        templates: [
            "browser-link": PackageResources.browser_link_mustache,
            "browser-link-message-html": PackageResources.browser_link_message_html_mustache,
            "browser-link-message-text": PackageResources.browser_link_message_text_mustache,
            "email-code-message-html": PackageResources.email_code_message_html_mustache,
            "email-code-message-text": PackageResources.email_code_message_text_mustache,
            "email-code": PackageResources.email_code_mustache,
            "email-link-ended": PackageResources.email_link_ended_mustache,
            "email-link": PackageResources.email_link_mustache,
            "invitation": PackageResources.invitation_mustache,
            "invitation-message-html": PackageResources.invitation_message_html_mustache,
            "invitation-message-text": PackageResources.invitation_message_text_mustache,
            "signed-in-elsewhere": PackageResources.signed_in_elsewhere_mustache,
            "sign-in": PackageResources.sign_in_mustache,
        ],
        partials: [
            "provider-button": PackageResources.provider_button_mustache,
            "remember": PackageResources.remember_mustache,
        ],
        texts: [.english: PackageResources.en_json, .german: PackageResources.de_json])
}
