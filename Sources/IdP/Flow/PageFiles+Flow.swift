package import SSOWeb

extension PageFiles {
    /// The templates, texts and assets of this target.
    package static let flow = PageFiles(
        templates: [
            "account": PackageResources.account_mustache,
            "change": PackageResources.change_mustache,
            "completion": PackageResources.completion_mustache,
            "no-access": PackageResources.no_access_mustache,
        ],
        texts: [.english: PackageResources.en_json, .german: PackageResources.de_json],
        assets: [
            "continue.js": PackageResources.continue_js,
            "sign-in.js": PackageResources.sign_in_js,
        ])
}
