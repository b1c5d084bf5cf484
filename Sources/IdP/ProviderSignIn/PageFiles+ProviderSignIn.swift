package import SSOWeb

extension PageFiles {
    /// The templates, texts and assets of this target.
    package static let providerSignIn = PageFiles(
        templates: [
            "provider-continue": PackageResources.provider_continue_mustache,
            "provider-known-address": PackageResources.provider_known_address_mustache,
        ],
        texts: [.english: PackageResources.en_json, .german: PackageResources.de_json],
        assets: [
            "provider-apple.svg": PackageResources.provider_apple_svg,
            "provider-github.svg": PackageResources.provider_github_svg,
            "provider-google.svg": PackageResources.provider_google_svg,
            "provider-microsoft.svg": PackageResources.provider_microsoft_svg,
        ])
}
