import IdPAccounts
import SSOShared
import SSOWeb
import Storage

/// What operators change about accounts, one statement each, in the caller's transaction.
extension AccountStore {
    static func set(disabled: Bool, _ id: String, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE account SET disabled = :disabled WHERE id = :id",
            ["disabled": .integer(disabled ? 1 : 0), "id": .text(id)])
    }

    static func set(endsAt end: Timestamp?, _ id: String, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE account SET ends_at = :end, end_done = 0 WHERE id = :id", ["end": .optional(end), "id": .text(id)])
    }

    static func set(eraseAt moment: Timestamp?, _ id: String, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE account SET erase_at = :moment WHERE id = :id", ["moment": .optional(moment), "id": .text(id)])
    }

    /// Gives an account another address. The operator vouches for it in place of a proof, so the other ways to sign in stay. What
    /// a provider has said about the old address does not count for the new one.
    static func set(email: EmailAddress, _ account: Account, _ connection: any SQLConnection) throws {
        let values: SQLArguments = [
            "new": .text(email.text), "old": .text(account.email), "id": .text(account.id),
        ]
        try connection.execute("UPDATE account SET email = :new WHERE id = :id", values)
        try connection.execute(
            "UPDATE account_identity SET subject = :new WHERE kind = 'email' AND subject = :old AND account_id = :id",
            values)
        try connection.execute("UPDATE account_identity SET is_vouched = 0 WHERE account_id = :id", values)
    }

    /// Notes that the sign-ins of an account are ended for its end date. Of any number of callers exactly one gets true.
    static func takeOverdue(_ id: String, at now: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE account SET end_done = 1 WHERE id = :id AND end_done = 0 AND ends_at <= :now",
            ["id": .text(id), "now": .timestamp(now)]) == 1
    }

    /// The accounts whose end date is over, and whose sign-ins were not ended for that yet.
    static func overdue(at now: Timestamp, limit: Int, _ connection: any SQLConnection) throws -> [String] {
        try connection.query(
            """
            SELECT id FROM account WHERE ends_at IS NOT NULL AND end_done = 0 AND ends_at <= :now
             ORDER BY ends_at LIMIT :limit
            """, ["now": .timestamp(now), "limit": .integer(Int64(limit))]
        ).map { try $0.text("id") }
    }

    /// The accounts that are to be erased now.
    static func due(forErasing now: Timestamp, limit: Int, _ connection: any SQLConnection) throws -> [String] {
        try connection.query(
            "SELECT id FROM account WHERE erase_at IS NOT NULL AND erase_at <= :now ORDER BY erase_at LIMIT :limit",
            ["now": .timestamp(now), "limit": .integer(Int64(limit))]
        ).map { try $0.text("id") }
    }

    /// Whether an account is signed in, in a browser or an app. One whose session is only idle for too long counts until its row is
    /// deleted.
    static func isSignedIn(_ account: Account, at now: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        let id: SQLArguments = ["id": .text(account.id), "now": .timestamp(now)]
        let ofApps = try connection.query(
            """
            SELECT 1 AS one FROM access_token WHERE account_id = :id
             UNION ALL SELECT 1 AS one FROM session WHERE owner = :id LIMIT 1
            """, ["id": .text(account.id)])
        guard ofApps.isEmpty else { return true }
        // The rows of sessions that ended by the number stay, with what their browsers were doing.
        return try connection.query(
            """
            SELECT slots FROM session WHERE account_id = :id AND owner IS NULL AND expires_at > :now
             ORDER BY seen_at DESC LIMIT 500
            """, id
        ).contains {
            SessionSlots(stored: try $0.text("slots"))[CurrentSignIn.self].signIn?.accountSignOuts == account.signOuts
        }
    }

    /// The rows of `device` belong to ``KnownBrowserStore``, those of `access_token` to ``AccessTokenStore`` and those of
    /// `session` to ``SessionStore``. They go in this transaction so that no crash leaves a half-done change.
    static func endAllSignIns(of account: Account, _ connection: any SQLConnection) throws {
        let id: SQLArguments = ["id": .text(account.id)]
        try connection.execute("UPDATE account SET sign_outs = sign_outs + 1 WHERE id = :id", id)
        // A stolen known browser loses its own budgets of emails and guesses.
        try forgetBrowsers(of: account.mailbox, connection)
        // Dead already. The list of the user's apps does not show them.
        try connection.execute("DELETE FROM access_token WHERE account_id = :id", id)
        try connection.execute("DELETE FROM session WHERE owner = :id", id)
    }

    static func forgetBrowsers(of mailbox: String, _ connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM device WHERE address = :address", ["address": .text(mailbox)])
    }

    /// Deletes an account, whose passkeys are gone, with every row that names its user, also in tables of other owners: otherwise half of it would be kept for ever. What
    /// has the account's id alone is deleted in its own time.
    static func erase(_ account: Account, at now: Timestamp, _ connection: any SQLConnection) throws {
        try TokenRevocations.add(identities(of: account.id, connection), at: now, connection)
        let budget = (try? EmailAddress(account.email).budgetKey) ?? account.email
        let values: SQLArguments = [
            "id": .text(account.id), "email": .text(account.email), "budget": .text(budget),
        ]
        for statement in erasing { try connection.execute(statement, values) }
        try SessionStore.forget(account.email, connection)
    }

    private static let erasing = [
        "DELETE FROM account_identity WHERE account_id = :id",
        "DELETE FROM account_notice WHERE account_id = :id",
        "DELETE FROM account_profile WHERE account_id = :id",
        "DELETE FROM account_role WHERE account_id = :id",
        "DELETE FROM address_change WHERE account_id = :id",
        "DELETE FROM app_key WHERE account_id = :id",
        "DELETE FROM app_link WHERE account_id = :id",
        "DELETE FROM challenge WHERE address = :email",
        "DELETE FROM code_guess WHERE address = :email",
        "DELETE FROM group_member WHERE account_id = :id",
        "DELETE FROM handoff WHERE account_id = :id",
        "DELETE FROM invitation WHERE account_id = :id",
        "DELETE FROM mail_queue WHERE address = :email OR address = :budget OR address = 'link ' || :budget",
        "DELETE FROM passkey_user WHERE account_id = :id",
        "DELETE FROM provider_attempt WHERE account_id = :id",
        "DELETE FROM sign_in_link WHERE account_id = :id",
        "DELETE FROM account WHERE id = :id",
    ]
}

extension Account {
    /// The address that known browsers are kept for.
    var mailbox: String { (try? EmailAddress(email).mailbox) ?? email }
}
