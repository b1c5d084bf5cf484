import HTTPTypes
public import Hummingbird
public import SSOShared

/// Makes and checks the CSRF tokens of forms (ASVS 3.5.1). A token is bound to the session and derived with a key that
/// is not in the database.
public struct CSRFTokens: Sendable {
    /// The name of the hidden field in every form.
    public static let fieldName = "form_token"
    /// The header in which scripts send it. Browsers ask before they send one for another site, and are refused.
    static let headerName = HTTPField.Name("X-CSRF-Token") ?? .authorization
    private let keys: [PreparedHMACKey]
    private let origin: PublicOrigin

    /// Derives tokens from these keys, for forms that are posted to this origin.
    public init(keys: DerivedKeys, origin: PublicOrigin) {
        self.keys = keys.derive("form-token").map(PreparedHMACKey.init)
        self.origin = origin
    }

    func token(for seed: String) -> String {
        guard let key = keys.first else { return "" }
        return Base64URL.encode(key.code(for: Array(seed.utf8)))
    }

    /// Whether a form comes from one of our pages in this session.
    ///
    /// Checks the token and the headers in which the browser names the sender: ``sender(of:)``. A program that sends neither
    /// header is accepted by its token alone.
    public func accepts(_ request: Request, fields: URLEncodedFields, seed: String?) -> Bool {
        accepts(request, token: (try? fields.text(Self.fieldName)) ?? nil, seed: seed)
    }

    /// The same for a request of one of our scripts, which names the token in ``headerName``.
    public func acceptsScript(_ request: Request, seed: String?) -> Bool {
        let tokens = request.headers[values: Self.headerName]
        return accepts(request, token: tokens.count == 1 ? tokens[0] : nil, seed: seed)
    }

    private func accepts(_ request: Request, token: String?, seed: String?) -> Bool {
        guard let seed, isSameOrigin(request), let token, let bytes = Base64URL.decode(token) else { return false }
        return keys.contains { ConstantTime.equal(bytes, $0.code(for: Array(seed.utf8))) }
    }

    /// Whether a request comes from one of our pages, as far as ``sender(of:)`` can tell.
    public func isSameOrigin(_ request: Request) -> Bool { sender(of: request) == .ownPage }

    /// What the browser says about the page that sent a request. Missing headers are those of a program.
    ///
    /// `Origin: null` hides the sender: a sandboxed frame of another site sends it, and so does our own page when a proxy has given
    /// it `Referrer-Policy: no-referrer` (Fetch, "append a request Origin header"). `Sec-Fetch-Site: same-origin` tells them
    /// apart: no page can set it, and a frame with an origin of its own counts as another site (W3C Fetch Metadata, 2.3).
    public func sender(of request: Request) -> FormSender {
        let sites = request.headers[values: .secFetchSite]
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { return .otherSite(origin.text) }
        let others = request.headers[values: .origin].filter { $0 != origin.text }
        if others.isEmpty || others.allSatisfy({ $0 == "null" }) && sites == ["same-origin"] { return .ownPage }
        return others.allSatisfy { $0 == "null" } ? .hidden : .otherAddress(origin.text)
    }
}

/// What a browser says about the page that sent a request.
public enum FormSender: Sendable, Equatable {
    /// One of our pages, or a program.
    case ownPage
    /// `Origin: null`, from a browser that does not say more.
    case hidden
    /// A page that was opened at another address than ours, such as `http` for `https`.
    case otherAddress(_ ours: String)
    /// A page of another site, or one in a sandbox.
    case otherSite(_ ours: String)
}
