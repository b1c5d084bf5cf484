/// What a relying party asks of the identity provider by way of the browser: the query of ``SSOPath/authorize``.
///
/// It is also what waits in the identity provider's session while the person signs in. `==` compares as `String` does
/// (canonical equivalence), which is byte equality for the ASCII texts that pass ``isValidState(_:)`` and a registry.
public struct AuthorizeRequest: Sendable, Hashable, Codable {
    /// 512 bytes: room for a signed, encrypted state of a partner's own, and no store for strangers.
    public static let maximumStateBytes = 512

    /// The partner's id, as registered at the identity provider.
    public let clientID: String
    /// Where the browser goes back to; matches the registered text byte for byte.
    public let redirectURI: String
    /// The relying party's own one-time value, handed back unchanged: ties the callback to the browser that began.
    public let state: String
    /// The S256 hash of a verifier that stays with the relying party, if it uses one. See ``CodeChallenge``.
    public let codeChallenge: String?

    /// What a partner asks for. Nothing is checked here: the identity provider does.
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

    /// 1 to ``maximumStateBytes`` bytes of printable ASCII, the blank included (0x20 to 0x7E).
    ///
    /// Anything else has several spellings or ends a header line: line ends, NUL, letters with accents.
    public static func isValidState(_ text: String) -> Bool {
        (1...maximumStateBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }

    /// The absolute URL to send the browser to.
    ///
    /// - Parameter origin: the identity provider's, such as `https://idp.example.com`; a slash at its end does no harm.
    public func url(at origin: String) -> String {
        var items = [("client_id", clientID), ("redirect_uri", redirectURI), ("state", state)]
        if let codeChallenge {
            items += [("code_challenge", codeChallenge), ("code_challenge_method", CodeChallenge.method)]
        }
        let base = origin.utf8.last == UInt8(ascii: "/") ? String(origin.dropLast()) : origin
        return base + SSOPath.authorize + "?" + PercentCoding.query(items)
    }

    /// The callback that carries a token: the redirect URI with `token` and `state` added. Never log it.
    public func callback(token: SSOToken) -> String {
        Self.adding([("token", token.wire), ("state", state)], to: redirectURI)
    }

    /// The callback that carries an error of the wire, such as `invalid_request`, for a request that was not fit to
    /// become an ``AuthorizeRequest``.
    ///
    /// - Parameters:
    ///   - redirectURI: one that is registered. Any other would make an open redirector of this.
    ///   - state: handed back byte for byte as it came, percent-encoded, or nil when there was none: the partner needs it
    ///     to know which sign-in failed, whatever is wrong with it.
    public static func errorCallback(redirectURI: String, error: String, state: [UInt8]?) -> String {
        let echo = state.map { "&state=" + PercentCoding.encode(bytes: $0) } ?? ""
        return adding([("error", error)], to: redirectURI) + echo
    }

    /// Appends to a URI without taking it apart: what is registered stays as it is, byte for byte, its query included,
    /// and `com.example.app:/callback` works as well as `https`. A parser would have views of its own about both.
    private static func adding(_ items: [(name: String, value: String)], to uri: String) -> String {
        let separator =
            switch uri.utf8.last {
            case UInt8(ascii: "?"), UInt8(ascii: "&"): ""
            default: uri.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            }
        return uri + separator + PercentCoding.query(items)
    }
}
