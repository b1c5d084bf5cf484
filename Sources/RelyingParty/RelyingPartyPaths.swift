import SSOShared
import SSOWeb

extension PathConfiguration {
    /// How an app of the relying party opens its paths, and those of the identity provider that they lead to.
    static let relyingParty = PathConfiguration([
        // The identity provider signs users in where its own session is.
        .tree("/auth", .browserSession),
        // The state and the verifier of a sign-in are in the cookies of the web view.
        .paths([SSOPath.start, SSOPath.callback], .webView),
        .paths([NativePath.resetApp], .reset),
    ])
}
