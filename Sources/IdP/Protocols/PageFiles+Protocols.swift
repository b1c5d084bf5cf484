package import SSOWeb

extension PageFiles {
    /// The templates, texts and assets of this target.
    package static let protocols = PageFiles(
        templates: [
            "form-post": PackageResources.form_post_mustache, "logout": PackageResources.logout_mustache,
            "sign-out": PackageResources.sign_out_mustache,
        ],
        texts: [.english: PackageResources.en_json, .german: PackageResources.de_json])
}
