import Hummingbird
package import SSOShared
package import SSOWeb

/// The cookie of a known browser: for each address that has signed in there an id and a secret, signed.
///
/// It signs nobody in. It only gives the browser budgets of its own for emails and guesses, so that a visitor who uses up
/// those of an address cannot keep its owner out (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
package struct KnownBrowserCookie: Sendable {
    /// How long a browser stays known without a sign-in.
    static let lifetime: Duration = .days(180)
    /// More addresses in one browser push out the one that signed in longest ago.
    static let maximumClaims = 5

    /// That a browser is known under an id. Worth something only if the row of that id has the secret's hash.
    package struct Claim: Sendable, Equatable {
        package static let idBytes = 12
        static let secretBytes = 16

        let id: [UInt8]
        let secret: [UInt8]

        /// The id in tables and logs.
        package var name: String { Base64URL.encode(id) }
        var secretDigest: [UInt8] { SHA256.hash(secret) }
    }

    private static let tagBytes = 16
    private let cookie: BrowserCookie
    private let keys: [[UInt8]]

    package init(keys: DerivedKeys, origin: PublicOrigin) {
        self.keys = keys.derive("device-cookie")
        cookie = BrowserCookie(name: "idp_device", origin: origin, maximumAge: Self.lifetime)
    }

    /// The claims with a right signature; empty for a cookie that is missing, doubled or damaged.
    func claims(in request: Request) -> [Claim] {
        guard let value = cookie.value(in: request), value.utf8.count <= 1024 else { return [] }
        return value.split(separator: ".").prefix(Self.maximumClaims).compactMap(claim)
    }

    /// Gives the browser these claims, the newest first.
    func set(_ claims: [Claim], in response: inout Response) {
        cookie.set(claims.prefix(Self.maximumClaims).map(text).joined(separator: "."), in: &response)
    }

    private func claim(_ text: Substring) -> Claim? {
        guard let bytes = Base64URL.decode(text), bytes.count == Claim.idBytes + Claim.secretBytes + Self.tagBytes
        else {
            return nil
        }
        let (signed, tag) = (Array(bytes.dropLast(Self.tagBytes)), Array(bytes.suffix(Self.tagBytes)))
        // Every key is tried, so that time does not tell which one matched.
        guard keys.map({ ConstantTime.equal(Self.tag(of: signed, key: $0), tag) }).contains(true) else { return nil }
        return Claim(id: Array(signed.prefix(Claim.idBytes)), secret: Array(signed.suffix(Claim.secretBytes)))
    }

    private func text(_ claim: Claim) -> String {
        let signed = claim.id + claim.secret
        return Base64URL.encode(signed + Self.tag(of: signed, key: keys.first ?? []))
    }

    private static func tag(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.code(for: bytes, key: key).prefix(tagBytes))
    }
}

/// Holds a secret, so it is never printed.
extension KnownBrowserCookie.Claim: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
