/// The request that a relying party sends to the identity provider through the browser: the query of
/// ``SSOPath/authorize``.
///
/// The identity provider keeps it in the session while the user signs in. `==` compares as `String` does (canonical
/// equivalence), which is byte equality for the ASCII texts that ``isValidState(_:)`` and a registry accept.
public struct AuthorizeRequest: Sendable, Hashable, Codable {
    /// Room for a signed and encrypted state, but not for storing data at the identity provider.
    public static let maximumStateBytes = 512

    /// The relying party's id, as registered at the identity provider.
    public let clientID: String
    /// Where the browser returns to. Must equal a registered text byte for byte.
    public let redirectURI: String
    /// A one-time value of the relying party, returned unchanged. It ties the callback to the browser that started.
    public let state: String
    /// The S256 hash of a verifier that stays at the relying party, if it uses one. See ``CodeChallenge``.
    public let codeChallenge: String?

    /// Creates a request. Nothing is checked here: the identity provider does that.
    public init(clientID: String, redirectURI: String, state: String, codeChallenge: String? = nil) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.state = state
        self.codeChallenge = codeChallenge
    }

    enum CodingKeys: String, CodingKey {
        case clientID = "client_id"
        case redirectURI = "redirect_uri"
        case state
        case codeChallenge = "code_challenge"
    }

    /// 1 to ``maximumStateBytes`` bytes of printable ASCII, spaces included (0x20 to 0x7E).
    ///
    /// Other characters have several spellings (letters with accents) or end a header line (line ends, NUL).
    public static func isValidState(_ text: String) -> Bool {
        (1...maximumStateBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }

    /// The absolute URL to send the browser to.
    ///
    /// - Parameters:
    ///   - origin: the identity provider's, such as `https://idp.example.com`; a slash at its end makes no difference.
    ///   - wishes: what is asked of the sign-in. They are not part of the request: the identity provider acts on them at once.
    public func url(at origin: String, asking wishes: SignInWishes = SignInWishes()) -> String {
        var items: [(name: String, value: String)] = [
            ("client_id", clientID), ("redirect_uri", redirectURI), ("state", state),
        ]
        if let codeChallenge {
            items += [("code_challenge", codeChallenge), ("code_challenge_method", CodeChallenge.method)]
        }
        items += wishes.queryItems
        var url: [UInt8] = []
        url.reserveCapacity(PercentCoding.ordinaryLength)
        url += origin.utf8
        if url.last == UInt8(ascii: "/") { url.removeLast() }
        url += SSOPath.authorize.utf8
        url.append(UInt8(ascii: "?"))
        PercentCoding.append(query: items, to: &url)
        return String(decoding: url, as: UTF8.self)
    }

    /// The callback that carries a token: the redirect URI with `token` and `state` added. Never log it.
    public func callback(token wire: String) -> String {
        Self.adding([("token", wire), ("state", state)], to: redirectURI)
    }

    /// The callback that carries an error code such as `invalid_request`, for a query that is not a valid
    /// ``AuthorizeRequest``.
    ///
    /// - Parameters:
    ///   - redirectURI: a registered one. Any other would make this an open redirector.
    ///   - description: one ASCII sentence for the relying party's developer, sent as `error_description`.
    ///   - state: returned byte for byte, percent-encoded, or nil when there was none. The relying party needs it to find
    ///     the failed sign-in, even when the state itself is invalid.
    public static func errorCallback(
        redirectURI: String, error: String, description: String? = nil, state: [UInt8]?
    ) -> String {
        let echo = state.map { "&state=" + PercentCoding.encode(bytes: $0) } ?? ""
        let items = [("error", error)] + (description.map { [("error_description", $0)] } ?? [])
        return adding(items, to: redirectURI) + echo
    }

    /// Appends to a URI without parsing it, so that the registered bytes stay as they are, the query included. Works for
    /// `com.example.app:/callback` as for `https`.
    ///
    /// - Parameter uri: a registered one. Any other would make this an open redirector.
    public static func adding(_ items: [(name: String, value: String)], to uri: String) -> String {
        var url: [UInt8] = []
        url.reserveCapacity(PercentCoding.ordinaryLength)
        url += uri.utf8
        if url.last != UInt8(ascii: "?"), url.last != UInt8(ascii: "&") {
            url.append(url.contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?"))
        }
        PercentCoding.append(query: items, to: &url)
        return String(decoding: url, as: UTF8.self)
    }
}

/// The rules for the ids of clients. Ids are compared byte for byte.
public enum ClientID {
    /// The rule of ``isWellFormed(_:)`` in words, after "must be".
    public static let rule = "at most 63 lower-case letters, digits and -, with a letter or digit first"
    /// The rule of ``isWellFormedForOpenID(_:)`` in words, after "must be".
    public static let openIDRule = "at most 128 letters, digits, ., _ and -, with a letter or digit first"

    /// Whether the id has the form of relying parties: `[a-z0-9][a-z0-9-]{0,62}` (docs/protocol.md). Such an id cannot end a
    /// header line.
    public static func isWellFormed(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...63).contains(bytes.count) && bytes.first != UInt8(ascii: "-")
            && bytes.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }

    /// Whether the id has the form of clients that use OpenID Connect alone: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`. Apps bring
    /// such ids along, and nobody can give them another one (RFC 6749 2.2). Every id of the other form has this one, too.
    public static func isWellFormedForOpenID(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...128).contains(bytes.count), let first = bytes.first, first.isASCIILetter || first.isASCIIDigit else {
            return false
        }
        return bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "._-".utf8.contains($0) }
    }
}

/// The optional proof that the callback runs where the sign-in began (RFC 7636, method S256).
///
/// The relying party keeps a random verifier for the browser and sends its hash with the authorize request. A stolen token
/// is worthless without the verifier.
public enum CodeChallenge {
    /// The only method. `plain` would send the verifier itself through the browser.
    public static let method = "S256"

    /// Creates a verifier: 43 characters of 32 random bytes (RFC 7636 section 4.1).
    public static func makeVerifier(randomness: some Randomness = SystemRandomness()) throws -> String {
        Base64URL.encode(try randomness.bytes(32))
    }

    /// The challenge of a verifier: base64url of its SHA-256 (RFC 7636 section 4.2).
    public static func s256(_ verifier: String) -> String {
        Base64URL.encode(SHA256.hash(verifier))
    }

    /// 43 to 128 unreserved characters (RFC 7636 section 4.1).
    public static func isWellFormedVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(PercentCoding.isUnreserved)
    }

    /// 43 base64url characters that decode to the 32 bytes of a SHA-256.
    public static func isWellFormedChallenge(_ text: String) -> Bool {
        text.utf8.count == 43 && Base64URL.decode(text)?.count == 32
    }
}

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
