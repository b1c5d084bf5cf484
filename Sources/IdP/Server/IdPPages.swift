import IdPAccountPages
import IdPAccounts
import IdPAdmin
import IdPApps
import IdPAuthorization
import IdPDevPages
import IdPFlow
import IdPGate
import IdPOIDC
import IdPPasskeys
import IdPProviderSignIn
import IdPSSO
import IdPSignIn
import SSOWeb

/// The pages of all targets.
enum IdPPages {
    static let files: [PageFiles] = [
        .accounts, .flow, .authorization, .signIn, .passkeys, .providerSignIn, .apps, .accountPages, .admin, .sso,
        .oidc,
        .gate, .devPages, .server,
    ]

    static func assets(_ brand: Brand) -> StaticAssets {
        StaticAssets(
            files.reduce(into: [:]) { $0.merge($1.assets) { $1 } }.merging(brand.assets) { $1 })
    }

    static func pages(
        _ brand: Brand, assets: StaticAssets, adding added: [PageFiles] = [], languages: AddedLanguages = .empty
    ) throws -> Pages {
        try Pages(
            brand: brand, files: files + added, values: scripts(of: assets), assets: assets, adding: languages)
    }

    /// The paths of the scripts that several pages have, as their templates name them.
    static func scripts(of assets: StaticAssets) -> [String: String] {
        [
            // Keeps a double click from sending a form twice.
            "formScript": assets.path(of: "sign-in.js"),
            // Goes on by itself.
            "continueScript": assets.path(of: "continue.js"),
            "passkeyScript": assets.path(of: "passkey.js"),
        ]
    }
}
