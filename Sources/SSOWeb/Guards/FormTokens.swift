public import Hummingbird
public import SSOShared

/// Tokens against forged forms (CSRF, ASVS 3.5.1): bound to the session, derived with a key that no database holds.
public struct FormTokens: Sendable {
    /// The name of the hidden field in every form.
    public static let fieldName = "form_token"
    private let keys: [[UInt8]]
    private let origin: PublicOrigin

    /// Tokens derived from these keys, for forms that are posted to this origin.
    public init(keys: DerivedKeys, origin: PublicOrigin) {
        self.keys = keys.derive("form-token")
        self.origin = origin
    }

    func token(for seed: String) -> String {
        guard let key = keys.first else { return "" }
        return Base64URL.encode(HMACSHA256.code(for: Array(seed.utf8), key: key))
    }

    /// Whether a form comes from a page of ours in this session.
    ///
    /// Two independent proofs: the token, and what the browser says of the sender. `Origin: null` is refused: a
    /// sandboxed frame sends it. Programs that send neither header (no browser does) are judged by the token alone.
    public func accepts(_ request: Request, fields: URLEncodedFields, seed: String?) -> Bool {
        guard let seed, isSameOrigin(request) else { return false }
        guard let given = try? fields.text(Self.fieldName), let bytes = Base64URL.decode(given) else { return false }
        return keys.contains { key in
            ConstantTime.equal(bytes, HMACSHA256.code(for: Array(seed.utf8), key: key))
        }
    }

    /// What `Origin` and `Sec-Fetch-Site` say, where they say anything.
    public func isSameOrigin(_ request: Request) -> Bool {
        let origins = request.headers[values: .origin]
        guard origins.allSatisfy({ $0 == origin.text }) else { return false }
        let sites = request.headers[values: .secFetchSite]
        return sites.allSatisfy { $0 == "same-origin" || $0 == "none" }
    }
}
