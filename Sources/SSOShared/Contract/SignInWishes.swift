/// What a relying party may ask of a sign-in: the optional parameters `prompt`, `max_age` and `login_hint` of
/// ``SSOPath/authorize``.
///
/// They travel through the browser, and its user can remove them. ``SignInClient`` therefore checks the verified answer
/// against them.
public struct SignInWishes: Sendable, Hashable {
    /// Whether the user is asked, and for what.
    public enum Prompt: String, Sendable, CaseIterable {
        /// The user signs in, also one who is signed in already.
        case login
        /// The user is never asked. One who would have to sign in comes back with `error=login_required`.
        case silent = "none"
        /// A user who is signed in chooses this account or another one.
        case selectAccount = "select_account"
    }

    /// The largest `max_age` in seconds, 68 years: it fits a 32-bit number everywhere.
    public static let longestMaxAge = 2_147_483_647

    public var prompt: Prompt?
    /// How long ago the user may have signed in, in whole seconds. A user whose sign-in is older signs in again. Zero asks
    /// everyone, as ``Prompt/login`` does.
    public var maxAge: Duration?
    /// The email address to fill into the sign-in form. It decides nothing: the user may change it.
    public var loginHint: String?
    /// The strength that the sign-in must have at least. A user with a weaker one proves what is missing.
    public var strength: Strength?

    /// Creates wishes; without arguments there are none.
    public init(prompt: Prompt? = nil, maxAge: Duration? = nil, loginHint: String? = nil, strength: Strength? = nil) {
        self.prompt = prompt
        self.maxAge = maxAge
        self.loginHint = loginHint
        self.strength = strength
    }

    /// The parameters of the query.
    var queryItems: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        if let prompt { items.append(("prompt", prompt.rawValue)) }
        if let maxAge {
            items.append(("max_age", String(min(max(maxAge.components.seconds, 0), Int64(Self.longestMaxAge)))))
        }
        if let strength { items.append(("acr_values", strength.rawValue)) }
        if let loginHint { items.append(("login_hint", loginHint)) }
        return items
    }
}
