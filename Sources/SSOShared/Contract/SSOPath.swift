/// The paths of the protocol (docs/protocol.md).
public enum SSOPath {
    /// On both: whether the program serves.
    public static let health = "/healthz"
    /// On the identity provider: where a relying party sends the browser.
    public static let authorize = "/auth/sso/authorize"
    /// On the identity provider: continues a flow after the user has signed in.
    public static let complete = "/auth/sso/complete"
    /// On the identity provider: where a relying party's server redeems a token.
    public static let verify = "/auth/sso/verify"
    /// On the identity provider: where a relying party's server asks about a session.
    public static let session = "/auth/sso/session"
    /// On the identity provider: where a relying party's server tries out its settings.
    public static let ping = "/auth/sso/ping"
    /// On the identity provider: where a relying party sends a browser whose user has signed out there.
    public static let signOut = "/auth/sso/sign-out"
    /// On the relying party: where the browser comes back. A relying party may choose and register another path.
    public static let callback = "/auth/sso/callback"
    /// On the relying party: where the identity provider tells that a session has ended. A relying party may choose and register
    /// another path.
    public static let logout = "/auth/sso/logout"
    /// On the relying party: starts a sign-in.
    public static let start = "/auth/sso/start"
}
