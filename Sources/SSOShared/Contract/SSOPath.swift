/// The paths both ends have agreed on.
public enum SSOPath {
    /// Whether a program serves.
    public static let health = "/healthz"
    /// On the identity provider: where a relying party sends the browser.
    public static let authorize = "/auth/sso/authorize"
    /// On the identity provider: goes on with a sign-in that had to wait for the person.
    public static let complete = "/auth/sso/complete"
    /// On the identity provider: where a relying party's server redeems a token.
    public static let verify = "/auth/sso/verify"
    /// On the relying party: where the browser comes back. A partner may choose another path and register that.
    public static let callback = "/auth/sso/callback"
    /// On the relying party: begins a sign-in.
    public static let start = "/auth/sso/start"
}
