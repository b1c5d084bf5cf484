import Foundation
import SSOShared
import SSOWeb

/// A user's account.
struct Account: Sendable {
    /// Stable and opaque: what relying parties key their rows by. Never the email address, which may change hands.
    let id: String
    /// Lower-cased. Where emails to the user go.
    let email: String
    /// What relying parties call the user.
    let name: String
    let isDisabled: Bool
    /// How often all sign-ins of the account were ended at once. A sign-in holds while this number is what it was at the
    /// sign-in. No clock is compared, so a wrong clock can neither keep a sign-in alive nor lock an account out.
    let signOuts: Int64
    /// When the account was made: at its first sign-in.
    let createdAt: Timestamp
}

/// What a sign-in has proven: that the visitor controls an address, a passkey, or an account elsewhere.
enum ProvenIdentity: Sendable {
    /// The visitor read an email to this address.
    case email(EmailAddress)
    /// The visitor used this passkey (WebAuthn Level 3, 5.1: the credential's id).
    case passkey(credentialID: Data)
    /// An OpenID provider vouches for this subject (OpenID Connect Core 1.0, 2: `iss` and `sub`), and for the address if
    /// it says that it has verified it.
    case external(issuer: String, subject: String, email: EmailAddress?)

    /// The key of the row in `account_identity`.
    var key: (kind: String, issuer: String, subject: String) {
        switch self {
        case .email(let address): ("email", "", address.text)
        case .passkey(let id): ("passkey", "", Base64URL.encode(Array(id)))
        case .external(let issuer, let subject, _): ("external", issuer, subject)
        }
    }
}

/// Owns the rows of `account` and `account_identity`: an account, and the identities that lead to it. Does not decide who
/// may sign in: see ``SignInEligibility``.
struct AccountStore: Sendable {
    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness
    let eligibility: SignInEligibility

    /// The account that a proven identity leads to, in the caller's transaction.
    ///
    /// An address makes an account at its first sign-in. Any other identity has to be linked to an account first: an
    /// address that a third party asserts must not open an account that exists.
    ///
    /// - Returns: the account, and whether this call made it; nil for an identity that is not linked to an account.
    func account(
        of identity: ProvenIdentity, _ connection: any SQLConnection
    ) throws -> (account: Account, isNew: Bool)? {
        if let account = try Self.find(identity, connection) { return (account, false) }
        guard case .email(let address) = identity else { return nil }
        let id = "usr_" + Base64URL.encode(try randomness.bytes(16))
        let made = try connection.execute(
            """
            INSERT INTO account (id, email, name, created_at) VALUES (:id, :email, :name, :now)
                ON CONFLICT (email) DO NOTHING
            """,
            [
                "id": .text(id), "email": .text(address.text), "name": .text(DisplayName.initial(for: address.text)),
                "now": .timestamp(clock.now()),
            ])
        guard let account = try Self.find(email: address.text, connection) else {
            throw DatabaseError.unavailable("an account vanished while it was made")
        }
        try link(identity, to: account, connection)
        return (account, made == 1)
    }

    /// Lets an identity lead to an account from now on, in the caller's transaction. An identity that leads to an account
    /// already is left alone.
    func link(_ identity: ProvenIdentity, to account: Account, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO account_identity (kind, issuer, subject, account_id, created_at)
            VALUES (:kind, :issuer, :subject, :account, :now) ON CONFLICT (kind, issuer, subject) DO NOTHING
            """,
            Self.values(identity).merging(["account": .text(account.id), "now": .timestamp(clock.now())]) { $1 })
    }

    func rename(_ account: Account, to name: String) async throws {
        try await database.write { connection in
            try connection.execute(
                "UPDATE account SET name = :name WHERE id = :id", ["name": .text(name), "id": .text(account.id)])
            return
        }
    }

    static func find(_ id: String, _ connection: any SQLConnection) throws -> Account? {
        try connection.query("SELECT \(Account.columns) FROM account WHERE id = :id", ["id": .text(id)]).first.map(
            Account.init)
    }

    static func find(email: String, _ connection: any SQLConnection) throws -> Account? {
        try connection.query("SELECT \(Account.columns) FROM account WHERE email = :email", ["email": .text(email)])
            .first.map(Account.init)
    }

    private static func find(_ identity: ProvenIdentity, _ connection: any SQLConnection) throws -> Account? {
        try connection.query(
            """
            SELECT \(Account.columns) FROM account WHERE id = (
                SELECT account_id FROM account_identity
                 WHERE kind = :kind AND issuer = :issuer AND subject = :subject)
            """, values(identity)
        ).first.map(Account.init)
    }

    private static func values(_ identity: ProvenIdentity) -> [String: SQLValue] {
        let (kind, issuer, subject) = identity.key
        return ["kind": .text(kind), "issuer": .text(issuer), "subject": .text(subject)]
    }
}

extension Account {
    static let columns = "id, email, name, disabled, sign_outs, created_at"

    init(_ row: SQLRow) throws {
        id = try row.text("id")
        email = try row.text("email")
        name = try row.text("name")
        isDisabled = try row.integer("disabled") != 0
        signOuts = try row.integer("sign_outs")
        createdAt = try row.timestamp("created_at")
    }
}

extension DisplayName {
    /// The name of a new account: the part of its address before the @.
    static func initial(for email: String) -> String { String(email.prefix { $0 != "@" }) }
}
