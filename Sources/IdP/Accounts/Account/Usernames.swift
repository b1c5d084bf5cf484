package import SSOShared
package import Storage

/// Gives accounts their usernames: names of at most 32 characters that services use as keys. An account keeps its name, also
/// with another address, and no account ever gets a name that another one had.
///
/// Owns the rows of `used_username`. They outlive the accounts, so they have only a hash of the name.
package enum Usernames {
    static let longest = 32
    /// What an address without any usable character gives.
    private static let fallback = "user"
    /// Names that are tried in their order. Later ones end in a random number: the search for a free one stays short.
    private static let orderly = 50

    /// The username of an account, in the caller's transaction, which writes. Gives it one if it has none.
    package static func name(
        of account: Account, _ randomness: any Randomness, _ connection: any SQLConnection
    ) throws -> String {
        if let name = account.username { return name }
        return try give(account.id, for: account.email, randomness, connection)
    }

    /// Gives an account its username, unless it has one.
    ///
    /// A name that two transactions try at once belongs to the one that commits first: the row of `used_username` decides.
    @discardableResult static func give(
        _ id: String, for email: String, _ randomness: any Randomness, _ connection: any SQLConnection
    ) throws -> String {
        let rows = try connection.query("SELECT username FROM account WHERE id = :id", ["id": .text(id)])
        if let name = try rows.first?.optionalText("username") { return name }
        let base = base(of: email)
        for number in 1...(2 * orderly) {
            let suffix = number <= orderly ? number : try random(randomness)
            let name = candidate(base, suffix)
            let isFree = try connection.execute(
                "INSERT INTO used_username (digest) VALUES (:digest) ON CONFLICT (digest) DO NOTHING",
                ["digest": .blob(SHA256.hash(name))])
            guard isFree == 1 else { continue }
            try connection.execute(
                "UPDATE account SET username = :name WHERE id = :id AND username IS NULL",
                ["name": .text(name), "id": .text(id)])
            return name
        }
        throw DatabaseError.unavailable("no username is free")
    }

    /// The part before the @, in lower case, without other characters than `[a-z0-9._-]`, and with a letter or digit first.
    static func base(of email: String) -> String {
        let local = email.utf8.prefix { $0 != UInt8(ascii: "@") }.map(\.asciiLowercased)
        let kept = local.filter { $0.isASCIIDigit || (0x61...0x7a).contains($0) || "._-".utf8.contains($0) }
        let name = kept.drop { "._-".utf8.contains($0) }.prefix(longest)
        return name.isEmpty ? fallback : String(decoding: name, as: UTF8.self)
    }

    /// `ann`, `ann2`, `ann3`.
    static func candidate(_ base: String, _ number: Int) -> String {
        guard number > 1 else { return base }
        let suffix = String(number)
        return base.prefix(longest - suffix.utf8.count) + suffix
    }

    private static func random(_ randomness: any Randomness) throws -> Int {
        try randomness.bytes(4).reduce(1_000_000) { ($0 << 8 | Int($1)) % 900_000_000 } + 1_000_000
    }
}
