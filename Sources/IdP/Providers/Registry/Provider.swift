import JWT
package import SSOShared
package import SSOWeb

/// An account elsewhere that users may sign in with: an entry of `IDP_PROVIDERS_FILE`.
package struct Provider: Sendable {
    /// Which protocol and which rules.
    package enum Kind: String, Sendable, CaseIterable {
        /// Any provider of OpenID Connect Core 1.0 with Discovery 1.0.
        case oidc
        /// Sign in with Apple.
        case apple
        /// GitHub, which has OAuth 2.0 without ID tokens.
        case github
        /// A preset of ``oidc``.
        case google
        /// A preset of ``oidc`` for one tenant of Microsoft Entra.
        case microsoft
    }

    /// How the provider sends its answer to the callback.
    package enum ResponseMode: String, Sendable, CaseIterable {
        /// In the query of a GET.
        case query
        /// In a form that the browser posts from the provider's page (OAuth 2.0 Form Post Response Mode).
        case formPost = "form_post"
    }

    /// Whether the provider's word on an address counts.
    enum EmailTrust: String, Sendable, CaseIterable {
        /// An address that it says it has verified counts as verified.
        case ifVerified = "trust-if-verified"
        /// Its addresses are ignored.
        case never
    }

    /// How a client with a secret sends it to the token endpoint (OpenID Connect Core 1.0, 9).
    enum AuthMethod: String, Sendable, CaseIterable {
        /// In `Authorization`.
        case basic = "client_secret_basic"
        /// In the form.
        case post = "client_secret_post"
    }

    /// How the IdP proves itself at the token endpoint.
    enum Credential: Sendable {
        /// PKCE alone: a public client.
        case none
        case secret(ProviderSecret)
        /// Apple: a signed JWT for each call.
        case apple(AppleKey)
    }

    /// At most 32 bytes of `a-z 0-9 -`. Part of URLs and of `methods`.
    package let id: String
    /// What users read on the button.
    package let name: String
    /// The text of the button in place of "Sign in with NAME", for kind `oidc`.
    package var label: String?
    /// Shown on the button, for kind `oidc`.
    package var logo: LogoFile?
    package let kind: Kind
    /// The exact `iss`. For GitHub the origin of its pages.
    package let issuer: String
    package let clientID: String
    let credential: Credential
    let scopes: [String]
    package let responseMode: ResponseMode
    /// Lower-case domains. Empty: any.
    var allowedDomains: [String] = []
    /// Lower-case domains whose mailboxes belong to the provider: its word on an address there is as good as a code by
    /// email. Subdomains are not included.
    package var ownedDomains: [String] = []
    /// The value of `prompt` in each request; nil leaves it out.
    var prompt: String?
    var emailTrust = EmailTrust.ifVerified
    /// Whether an unknown identity may make an account.
    package var allowsNewAccounts = true
    /// As the client is registered at the provider; nil: as its document says.
    var authMethod: AuthMethod?
    /// Whether the provider may have a private address.
    var allowsPrivateAddresses = false
    /// What an ID token may be signed with. The token never chooses.
    let algorithms: [SignatureAlgorithm]
    /// The primary App ID of Apple's group, which a notification may name as its audience in place of ``clientID``.
    package var appleAppID: String?

    /// The sign-in method's name on the wire, in `methods` of the answer to verify.
    package var method: String {
        switch kind {
        case .apple, .google, .github: kind.rawValue
        case .oidc, .microsoft: "oidc:\(id)"
        }
    }

    /// Whether the provider may say when it authenticated the user (`auth_time`). Google and GitHub do not, so a sign-in with
    /// them is never known to be new.
    package var saysWhenAuthenticated: Bool { kind != .google && kind != .github }

    /// Where the provider sends the browser back: the redirect URI to register there.
    package func callback(at origin: PublicOrigin) -> String { "\(origin.text)\(callbackPath)" }

    package static let logoPrefix = "/assets/provider/"

    /// The path of its own logo, with a hash of the content; nil for one without.
    package var logoPath: String? { logo.map { "\(Self.logoPrefix)\(id)-\($0.hash).\($0.kind.rawValue)" } }

    package var callbackPath: String { "/auth/\(id)/callback" }
}

/// A client secret that a provider has issued. Prints as `<redacted>`.
struct ProviderSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// For the token endpoint only: never print, log or store it.
    let text: String

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// The key of a Services ID, with which client secrets for Apple are signed. Prints as `<redacted>`.
struct AppleKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// 10 letters and digits.
    let teamID: String
    /// 10 letters and digits.
    let keyID: String
    /// A P-256 private key: the `.p8` file.
    let key: PrivateKey

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a provider says of the user who came back from it, after every check.
package struct ProviderIdentity: Sendable {
    /// With ``subject`` what an account is recognised by; never the address.
    package let issuer: String
    /// 1 to 255 bytes of printable ASCII (OpenID Connect Core 1.0, 2).
    package let subject: String
    /// An address that counts as verified; nil where the provider gives none, has not verified it, or is not trusted.
    package var email: EmailAddress?
    /// The address is one of Apple's private relay.
    package var isPrivateEmail = false
    /// The domain of the organisation whose accounts Google hosts (`hd`), which Google has verified; nil for any other
    /// provider and user.
    package var hostedDomain: String?
    /// A name for a new account.
    package var name: String?
    /// When the provider authenticated the user (`auth_time`); nil where it does not say.
    package var authenticatedAt: Timestamp?
    /// Identifies the ID token, so that it is not used twice; nil without an ID token.
    package var tokenDigest: [UInt8]?
    /// After that moment the ID token is refused anyway.
    package var tokenExpiresAt: Timestamp?
    /// For revocation at Apple when the user unlinks. Never logged; stored sealed.
    package var refreshToken: String?
}
