package import Hummingbird
package import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `device`: which browsers are known for which mailbox, tags left out. Only hashes of their secrets are
/// stored.
package struct KnownBrowserStore: Sendable {
    /// Browsers known for one address. More push out the one that was used longest ago.
    static let maximumPerAddress = 20

    package let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness

    package init(database: any Database, clock: ServiceClock, randomness: any Randomness) {
        (self.database, self.clock, self.randomness) = (database, clock, randomness)
    }

    /// The id of the known browser that one of the claims proves, nil for an unknown browser. Without claims nothing is read.
    ///
    /// - Parameter address: nil for a browser that is known for any address.
    package func find(_ claims: [KnownBrowserCookie.Claim], for address: EmailAddress?) async throws -> String? {
        guard !claims.isEmpty else { return nil }
        return try await database.read { try find(claims, for: address, $0) }
    }

    /// The same, in the caller's transaction.
    package func find(
        _ claims: [KnownBrowserCookie.Claim], for address: EmailAddress?, _ connection: any SQLConnection
    ) throws -> String? {
        let now = clock.now()
        return try claims.first { claim in
            let row = try connection.query(
                """
                SELECT address, secret_digest, previous_digest FROM device
                 WHERE id = :id AND expires_at > :now AND created_at <= :skewed
                """,
                [
                    "id": .text(claim.name), "now": .timestamp(now),
                    "skewed": .timestamp(now + ClockSkew.tolerated),
                ]
            ).first
            guard let row else { return false }
            if let address, try !row.text("address").utf8.elementsEqual(address.mailbox.utf8) { return false }
            let current = ConstantTime.equal(claim.secretDigest, try row.blob("secret_digest"))
            let previous = ConstantTime.equal(
                claim.secretDigest, try row.optionalBlob("previous_digest") ?? [])
            return current || previous
        }?.name
    }

    /// Makes the browser known for an address, or gives a known one a new secret, in the caller's transaction.
    ///
    /// The secret before the new one stays valid until the next: the answer with the new cookie may get lost.
    ///
    /// - Parameters:
    ///   - known: the id that the browser has for this address, nil for a new browser.
    ///   - keepsPrevious: false where the id moves to another browser.
    package func remember(
        _ address: EmailAddress, known: String?, keepsPrevious: Bool = true, _ connection: any SQLConnection
    ) throws -> KnownBrowserCookie.Claim {
        let now = clock.now()
        let claim = KnownBrowserCookie.Claim(
            id: try known.flatMap { Base64URL.decode($0) } ?? randomness.bytes(KnownBrowserCookie.Claim.idBytes),
            secret: try randomness.bytes(KnownBrowserCookie.Claim.secretBytes))
        try connection.execute(
            """
            INSERT INTO device (id, address, secret_digest, created_at, used_at, expires_at)
            VALUES (:id, :address, :digest, :now, :now, :expires)
                ON CONFLICT (id) DO UPDATE SET
                   previous_digest = CASE WHEN :keeps = 1 THEN device.secret_digest ELSE NULL END,
                   secret_digest = excluded.secret_digest, used_at = excluded.used_at, expires_at = excluded.expires_at
                 WHERE device.address = excluded.address
            """,
            [
                "id": .text(claim.name), "address": .text(address.mailbox), "digest": .blob(claim.secretDigest),
                "now": .timestamp(now), "expires": .timestamp(now + KnownBrowserCookie.lifetime),
                "keeps": .integer(keepsPrevious ? 1 : 0),
            ])
        try connection.execute(
            """
            DELETE FROM device WHERE address = :address AND id NOT IN (
                SELECT id FROM device WHERE address = :address ORDER BY used_at DESC, id LIMIT :limit)
            """, ["address": .text(address.mailbox), "limit": .integer(Int64(Self.maximumPerAddress))])
        return claim
    }

    /// Makes every browser unknown for an address, in the caller's transaction.
    static func forget(_ address: String, _ connection: any SQLConnection) throws {
        let mailbox = (try? EmailAddress(address).mailbox) ?? address
        try connection.execute("DELETE FROM device WHERE address = :address", ["address": .text(mailbox)])
    }

    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.purge(
            "DELETE FROM device WHERE id IN (SELECT id FROM device WHERE expires_at <= :now LIMIT :limit)",
            ["now": .timestamp(now)], limit: limit)
    }
}

/// Known browsers as routes use them: rows and cookie together.
package struct KnownBrowsers: Sendable {
    package let store: KnownBrowserStore
    let cookie: KnownBrowserCookie

    package init(store: KnownBrowserStore, cookie: KnownBrowserCookie) {
        (self.store, self.cookie) = (store, cookie)
    }

    /// The id under which the request's browser is known for an address, nil for an unknown one.
    package func known(_ request: Request, for address: EmailAddress?) async throws -> String? {
        guard let address else { return nil }
        return try await store.find(cookie.claims(in: request), for: address)
    }

    /// What a request's browser claims to be known under, for ``KnownBrowserStore/find(_:for:_:)``.
    package func claims(in request: Request) -> [KnownBrowserCookie.Claim] { cookie.claims(in: request) }

    /// The id of the request's browser if it is known for any address: it is counted apart from its network. The signature of
    /// its cookie alone would keep the limits of a known browser that was ended or evicted for as long as the cookie lasts.
    package func countedBrowser(_ request: Request) async throws -> String? {
        try await store.find(cookie.claims(in: request), for: nil)
    }

    /// Gives the browser the new claim beside those it has.
    package func give(_ claim: KnownBrowserCookie.Claim, _ request: Request, in response: inout Response) {
        let others = cookie.claims(in: request).filter { $0.id != claim.id }
        cookie.set([claim] + others, in: &response)
    }
}

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
