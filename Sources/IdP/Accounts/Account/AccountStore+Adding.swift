package import IdPClients
package import SSOShared
package import SSOWeb
package import Storage

/// An account as an operator adds it.
package struct AddedAccount: Sendable {
    package let email: EmailAddress
    /// Nil for the part of the address before the @.
    package let name: String?
    package let end: Timestamp?
    /// Nil where it is not known.
    package let language: Language?
    /// Why it may sign in.
    package let standing: Standing

    package enum Standing: Sendable {
        /// The operator lets it in, whatever `IDP_ALLOWED_EMAILS` names.
        case invited, imported
        /// `IDP_ALLOWED_EMAILS` names the address. It may sign in as long as it does.
        case named
    }

    package init(email: EmailAddress, name: String?, end: Timestamp?, language: Language?, _ standing: Standing) {
        (self.email, self.name, self.end, self.language) = (email, name, end, language)
        self.standing = standing
    }
}

/// Accounts that operators add, before anybody has signed in to them.
extension AccountStore {
    /// The number of accounts.
    package func count() async throws -> Int64 {
        try await database.read { connection in
            try connection.query("SELECT COUNT(*) AS number FROM account").first?.integer("number") ?? 0
        }
    }

    static func newID(_ randomness: any Randomness) throws -> String {
        "usr_" + Base64URL.encode(try randomness.bytes(16))
    }

    /// Adds an account, which nobody has signed in to.
    ///
    /// - Returns: its id.
    /// - Throws: ``ChangeError`` for an address that is kept for another account (``AddressChangeStore``).
    @discardableResult
    package static func add(
        _ account: AddedAccount, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> String {
        guard try !AddressChangeStore.isKept(account.email.text, at: context.now, connection) else {
            throw ChangeError(
                "\(account.email.text) was the address of an account until its user changed it, less than 24 hours ago. The owner of the address can stop that. Try again tomorrow."
            )
        }
        let id = try newID(context.randomness)
        try connection.execute(
            """
            INSERT INTO account (id, email, name, created_at, added_at, imported_at, ends_at, language)
            VALUES (:id, :email, :name, :now, :added, :imported, :end, :language)
            """,
            [
                "id": .text(id), "email": .text(account.email.text),
                "name": .text(account.name ?? DisplayName.initial(for: account.email.text)),
                "now": .timestamp(context.now),
                "added": .optional(account.standing == .named ? nil : context.now),
                "imported": .optional(account.standing == .imported ? context.now : nil), "end": .optional(account.end),
                "language": .optional(account.language?.rawValue),
            ])
        try Usernames.give(id, for: account.email.text, context.randomness, connection)
        return id
    }

    /// Lets an account sign in, whatever `IDP_ALLOWED_EMAILS` names.
    ///
    /// - Returns: whether it was not added before.
    package static func markAdded(_ account: Account, at now: Timestamp, _ connection: any SQLConnection) throws -> Bool
    {
        try connection.execute(
            "UPDATE account SET added_at = :now WHERE id = :id AND added_at IS NULL",
            ["now": .timestamp(now), "id": .text(account.id)]) == 1
    }

    /// Notes that a file of users has named an account. It stays so.
    package static func markImported(_ account: Account, at now: Timestamp, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE account SET added_at = COALESCE(added_at, :now), imported_at = COALESCE(imported_at, :now) WHERE id = :id
            """, ["now": .timestamp(now), "id": .text(account.id)])
    }

    /// - Returns: whether an invitation alone had added it.
    package static func unmarkInvited(_ id: String, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE account SET added_at = NULL WHERE id = :id AND \(isInvited)", ["id": .text(id)]) == 1
    }

    /// Whether an invitation alone has added an account.
    package static func isInvited(_ id: String, _ connection: any SQLConnection) throws -> Bool {
        try !connection.query("SELECT 1 AS one FROM account WHERE id = :id AND \(isInvited)", ["id": .text(id)])
            .isEmpty
    }

    private static let isInvited = "added_at IS NOT NULL AND imported_at IS NULL"

    /// Whether anything leads to an account that its user has proven.
    private static func hasIdentity(_ id: String, _ connection: any SQLConnection) throws -> Bool {
        try !connection.query(
            "SELECT 1 FROM account_identity WHERE account_id = :id LIMIT 1", ["id": .text(id)]
        ).isEmpty
    }

    /// Whether somebody has signed in to an account, ever. An identity says so where a node of an earlier version has added it.
    package static func hasBegun(_ account: Account, _ connection: any SQLConnection) throws -> Bool {
        try account.begunAt != nil || hasIdentity(account.id, connection)
    }

    /// Notes the language of a user's browser, in the transaction of the sign-in. A statement only where it is another one.
    package func note(_ language: Language, of account: Account, _ connection: any SQLConnection) throws {
        guard account.language != language else { return }
        try connection.execute(
            "UPDATE account SET language = :language WHERE id = :id",
            ["language": .text(language.rawValue), "id": .text(account.id)])
    }
}
