import JWT

/// What each kind of provider has unless its entry says otherwise, and what an entry of that kind may say.
extension Provider.Kind {
    /// Nil where each provider has its own.
    package var defaultIssuer: String? {
        switch self {
        case .apple: "https://appleid.apple.com"
        case .github: "https://github.com"
        case .google: "https://accounts.google.com"
        case .oidc, .microsoft: nil
        }
    }

    var defaultScopes: [String] {
        switch self {
        case .oidc, .google, .microsoft: ["openid", "email", "profile"]
        // Apple gives name and address only where they are asked for.
        case .apple: ["openid", "name", "email"]
        // Id and name of a user are public.
        case .github: ["user:email"]
        }
    }

    var defaultResponseMode: Provider.ResponseMode { self == .apple ? .formPost : .query }

    var defaultAlgorithms: [SignatureAlgorithm] {
        switch self {
        case .oidc: SignatureAlgorithm.allCases
        case .apple, .google, .microsoft: [.rs256]
        case .github: []
        }
    }

    /// The domains whose mailboxes belong to every provider of this kind.
    var ownedDomains: [String] {
        switch self {
        case .google: ["gmail.com", "googlemail.com"]
        case .apple: ["privaterelay.appleid.com"]
        case .oidc, .microsoft, .github: []
        }
    }

    /// Whether the answer has an ID token, which needs the scope `openid`.
    var hasIDTokens: Bool { self != .github }

    /// The values of `prompt` that make sense. Never `none`: it forbids the provider's own pages, so a user who is not signed
    /// in there could not sign in here.
    var prompts: [String] {
        switch self {
        case .oidc, .microsoft: ["login", "consent", "select_account"]
        case .google: ["consent", "select_account"]
        case .github: ["select_account"]
        case .apple: []
        }
    }

    /// The keys of an entry that other kinds do not have.
    static let special: [String: [Provider.Kind]] = [
        // The brands' rules fix the buttons of the others (docs/providers.md).
        "label": [.oidc], "logo": [.oidc],
        "client_secret": [.oidc, .github, .google, .microsoft],
        // Apple and GitHub have one way.
        "token_endpoint_auth_method": [.oidc, .google, .microsoft],
        "team_id": [.apple], "key_id": [.apple], "private_key": [.apple], "app_id": [.apple],
        "algorithms": [.oidc, .apple, .google, .microsoft],
        "prompt": [.oidc, .github, .google, .microsoft],
    ]
}
