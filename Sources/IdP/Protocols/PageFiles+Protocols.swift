package import SSOWeb

extension PageFiles {
    /// The templates, texts and assets of this target.
    package static let protocols = PageFiles(
        templates: [
            "account": PackageResources.account_mustache,
            "completion": PackageResources.completion_mustache,
        ],
        texts: [.english: PackageResources.en_json, .german: PackageResources.de_json])
}
