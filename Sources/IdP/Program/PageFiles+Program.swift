import SSOWeb

extension PageFiles {
    /// The assets of this target.
    static let program = PageFiles(
        assets: [
            "brand.css": PackageResources.idp_brand_css,
            "icon.svg": PackageResources.idp_icon_svg,
            "touch-icon.png": PackageResources.idp_touch_icon_png,
        ])
}
