import SSOShared
import SSOWeb

/// Owns the rows of `account`. Does not decide who may sign in: see ``SignInEligibility``.
struct AccountStore: Sendable {
    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness
    let eligibility: SignInEligibility

    func find(_ id: String) async throws -> Account? {
        try await database.read { connection in try Self.find(id, connection) }
    }

    /// The account of a proven address, made now if this is its first sign-in, in the caller's transaction.
    func findOrCreate(email: String, _ connection: any SQLConnection) throws -> Account {
        let id = "usr_" + Base64URL.encode(try randomness.bytes(16))
        try connection.execute(
            """
            INSERT INTO account (id, email, name, created_at) VALUES (:id, :email, :name, :now)
                ON CONFLICT (email) DO NOTHING
            """,
            [
                "id": .text(id), "email": .text(email), "name": .text(DisplayName.initial(for: email)),
                "now": .timestamp(clock.now()),
            ])
        guard let account = try Self.find(email: email, connection) else {
            throw DatabaseError.unavailable("an account vanished while it was made")
        }
        return account
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
