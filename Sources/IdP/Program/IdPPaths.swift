import IdPSignIn
import SSOShared
import SSOWeb

extension PathConfiguration {
    /// How an app of the IdP opens the IdP's paths, and those of a relying party that its pages lead to.
    static let idp = PathConfiguration([
        .tree(SignInRoutes.path, .modal),
        // A handoff, and whatever else begins below it later: a provider must not be shown in a web view (RFC 8252 8.12).
        .tree("/auth", .browserSession),
        .paths([SSOPath.authorize, SSOPath.complete], .webView),
        // A relying party's: its session is in the system browser.
        .paths([SSOPath.callback, SSOPath.start], .systemBrowser),
        .paths([NativePath.resetApp], .reset),
    ])
}
