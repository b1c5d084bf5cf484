package import SSOWeb

extension PageFiles {
    /// The templates, texts and assets of this target.
    package static let apps = PageFiles(
        templates: [
            "native-link-end": PackageResources.native_link_end_mustache,
            "native-link": PackageResources.native_link_mustache,
            "native-confirm": PackageResources.native_confirm_mustache,
            "native-continue": PackageResources.native_continue_mustache,
            "native-start": PackageResources.native_start_mustache,
        ],
        texts: [.english: PackageResources.en_json, .german: PackageResources.de_json],
        assets: [
            "native.js": PackageResources.native_js
        ])
}
