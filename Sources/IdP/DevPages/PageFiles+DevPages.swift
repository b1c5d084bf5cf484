package import SSOWeb

extension PageFiles {
    /// The templates, texts and assets of this target.
    package static let devPages = PageFiles(
        templates: [
            "mailbox": PackageResources.mailbox_mustache,
            "link-tester": PackageResources.link_tester_mustache,
        ],
        texts: [.english: PackageResources.en_json, .german: PackageResources.de_json],
        assets: ["mailbox.js": PackageResources.mailbox_js])
}
