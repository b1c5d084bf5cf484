package import SSOWeb

extension PageFiles {
    /// The templates, texts and assets of this target.
    package static let accounts = PageFiles(
        texts: [.english: PackageResources.en_json, .german: PackageResources.de_json])
}
