public import Hummingbird
public import SSOShared

/// Makes and checks the CSRF tokens of forms (ASVS 3.5.1). A token is bound to the session and derived with a key that
/// is not in the database.
public struct CSRFTokens: Sendable {
    /// The name of the hidden field in every form.
    public static let fieldName = "form_token"
    private let keys: [[UInt8]]
    private let origin: PublicOrigin

    /// Derives tokens from these keys, for forms that are posted to this origin.
    public init(keys: DerivedKeys, origin: PublicOrigin) {
        self.keys = keys.derive("form-token")
        self.origin = origin
    }

    func token(for seed: String) -> String {
        guard let key = keys.first else { return "" }
        return Base64URL.encode(HMACSHA256.code(for: Array(seed.utf8), key: key))
    }

    /// Whether a form comes from one of our pages in this session.
    ///
    /// Checks the token and the headers in which the browser names the sender. `Origin: null` is refused because
    /// sandboxed frames send it. A program that sends neither header is accepted by its token alone.
    public func accepts(_ request: Request, fields: URLEncodedFields, seed: String?) -> Bool {
        guard let seed, isSameOrigin(request) else { return false }
        guard let given = try? fields.text(Self.fieldName), let bytes = Base64URL.decode(given) else { return false }
        return keys.contains { key in
            ConstantTime.equal(bytes, HMACSHA256.code(for: Array(seed.utf8), key: key))
        }
    }

    /// Whether `Origin` and `Sec-Fetch-Site` name this origin. Missing headers are accepted.
    public func isSameOrigin(_ request: Request) -> Bool {
        let origins = request.headers[values: .origin]
        guard origins.allSatisfy({ $0 == origin.text }) else { return false }
        let sites = request.headers[values: .secFetchSite]
        return sites.allSatisfy { $0 == "same-origin" || $0 == "none" }
    }
}
