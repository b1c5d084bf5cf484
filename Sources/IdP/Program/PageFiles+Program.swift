import SSOWeb

extension PageFiles {
    /// The templates, texts and assets of this target.
    static let program = PageFiles(
        templates: [
            "mailbox": PackageResources.mailbox_mustache,
            "link-tester": PackageResources.link_tester_mustache,
        ],
        texts: [.english: PackageResources.en_json, .german: PackageResources.de_json],
        assets: [
            "mailbox.js": PackageResources.mailbox_js,
            "brand.css": PackageResources.idp_brand_css,
            "icon.svg": PackageResources.idp_icon_svg,
            "touch-icon.png": PackageResources.idp_touch_icon_png,
        ])
}
