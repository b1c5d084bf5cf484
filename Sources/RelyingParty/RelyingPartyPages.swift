import SSOWeb

/// The partner's templates and styles, as they are compiled in.
enum RelyingPartyPages {
    static let assets = StaticAssets(["brand.css": PackageResources.rp_brand_css])

    static func pages(assets: StaticAssets) throws -> Pages {
        try Pages(
            brand: "Partner service",
            templates: [
                "account": PackageResources.account_mustache,
                "signed-in": PackageResources.signed_in_mustache,
                "signed-out": PackageResources.signed_out_mustache,
            ], assets: assets)
    }
}
