package import IdPAccounts
package import SSOWeb
package import Storage

/// A table of the IdP, and what becomes of its rows when the database has gone back to an earlier moment.
///
/// Has SQL for tables of many owners, because all of them change in one transaction.
package struct IdPTable: Sendable {
    /// Why the database is as it was before.
    package enum Cause: Sendable {
        /// A backup was restored: hours or days are missing. Everybody is signed out.
        case restore
        /// A standby was promoted that lacks the last commits. What was unused may have been used. Sign-ins go on.
        case lostCommits
    }

    enum Ending: Sendable {
        case stays
        /// Changes by a statement, which may use `:now`, and `:recent` for what can still be valid: the requests of all users
        /// wait for it, so it must not look at every row of a large table.
        case changed(String)
    }

    package let name: String
    private let restore, lostCommits: Ending
    /// What becomes of the rows of the one session that goes on when all others of its account end; nil for a table without
    /// the number of the account's sign-outs.
    package let kept: KeptSignIns.Rule?

    private init(_ name: String, restore: Ending, lostCommits: Ending, kept: KeptSignIns.Rule? = nil) {
        (self.name, self.restore, self.lostCommits, self.kept) = (name, restore, lostCommits, kept)
    }

    /// Every table but that of the migrations, sorted by name.
    package static let all = [
        IdPTable(
            "access_token", restore: .changed("DELETE FROM access_token"), lostCommits: .stays, kept: .appToken),
        // That of the replaced database may be a later one: its end is carried out when it comes.
        IdPTable(
            "account", restore: .changed("UPDATE account SET end_done = 0 WHERE end_done = 1"), lostCommits: .stays),
        IdPTable("account_identity", restore: .stays, lostCommits: .stays),
        IdPTable("account_notice", restore: .changed("DELETE FROM account_notice"), lostCommits: .stays),
        IdPTable("account_profile", restore: .stays, lostCommits: .stays),
        // The link in an email of the missing time would take an address back from nobody knows whom.
        IdPTable(
            "address_change", restore: .changed("DELETE FROM address_change"),
            lostCommits: .changed("DELETE FROM address_change WHERE changed_at IS NULL")),
        // One that had ended would open a service again, for years.
        IdPTable("app_key", restore: .changed("DELETE FROM app_key"), lostCommits: .stays),
        IdPTable(
            "app_link", restore: .changed("DELETE FROM app_link"),
            lostCommits: .changed("UPDATE app_link SET ended_at = :now WHERE ended_at IS NULL AND expires_at > :recent")
        ),
        IdPTable("audit_event", restore: .stays, lostCommits: .stays),
        IdPTable(
            "challenge", restore: .changed("DELETE FROM challenge"), lostCommits: .changed("DELETE FROM challenge")),
        // Ended by the restore itself, which tells the clients.
        IdPTable("client_sign_in", restore: .stays, lostCommits: .stays),
        IdPTable("client", restore: .stays, lostCommits: .stays),
        IdPTable("client_secret", restore: .stays, lostCommits: .stays),
        IdPTable("client_secret_use", restore: .stays, lostCommits: .stays),
        IdPTable("code_guess", restore: .stays, lostCommits: .stays),
        IdPTable("device", restore: .changed("DELETE FROM device"), lostCommits: .stays),
        // The next start writes them.
        IdPTable("file_client", restore: .stays, lostCommits: .stays),
        IdPTable("gate_session", restore: .changed("DELETE FROM gate_session"), lostCommits: .stays),
        IdPTable("group_member", restore: .stays, lostCommits: .stays),
        // A role that was revoked in the missing time would count again.
        IdPTable("account_role", restore: .changed("DELETE FROM account_role"), lostCommits: .stays),
        IdPTable("admin_notice", restore: .stays, lostCommits: .stays),
        IdPTable("guess_alarm", restore: .stays, lostCommits: .stays),
        IdPTable(
            "handoff", restore: .changed("DELETE FROM handoff"),
            lostCommits: .changed("UPDATE handoff SET ended_at = :now WHERE ended_at IS NULL AND expires_at > :recent"),
            kept: .ends),
        // A withdrawn one would be valid again. It proves nothing, so it may stay where a few commits are missing.
        IdPTable("invitation", restore: .changed("DELETE FROM invitation"), lostCommits: .stays),
        // Of the keys that sealed what the backup has.
        IdPTable("key_check", restore: .stays, lostCommits: .stays),
        IdPTable("mail_outage", restore: .stays, lostCommits: .stays),
        IdPTable("mail_queue", restore: .changed("DELETE FROM mail_queue"), lostCommits: .stays),
        // What had ended is seen by account_identity. A counter of before lets a copy of the key in once.
        IdPTable("passkey", restore: .stays, lostCommits: .stays),
        IdPTable("passkey_user", restore: .stays, lostCommits: .stays),
        IdPTable(
            "provider_attempt", restore: .changed("DELETE FROM provider_attempt"),
            lostCommits: .changed(
                """
                UPDATE provider_attempt SET used_at = :now, answer = NULL WHERE used_at IS NULL AND expires_at > :recent
                """)),
        // Those of the missing time may have been used, or ended.
        IdPTable(
            "oidc_access_token", restore: .changed("DELETE FROM oidc_access_token"), lostCommits: .stays,
            kept: .clientSignIn),
        IdPTable(
            "oidc_refresh_token", restore: .changed("DELETE FROM oidc_refresh_token"),
            lostCommits: .changed(
                """
                UPDATE oidc_refresh_token SET ended_at = :now
                 WHERE used_at IS NULL AND ended_at IS NULL AND expires_at > :recent
                """), kept: .clientSignIn),
        // A number that was used in the time that is missing must not stand for another change.
        IdPTable(
            "registry_revision", restore: .changed(raisedRevision), lostCommits: .changed(raisedRevision)),
        IdPTable("refused_address", restore: .stays, lostCommits: .stays),
        IdPTable("retired_secret", restore: .stays, lostCommits: .stays),
        IdPTable("session", restore: .changed("DELETE FROM session"), lostCommits: .stays),
        // A used or withdrawn one would work again. That an account began by one is known by the others.
        IdPTable(
            "sign_in_link", restore: .changed("DELETE FROM sign_in_link WHERE used_at IS NULL"),
            lostCommits: .changed("DELETE FROM sign_in_link WHERE used_at IS NULL")),
        // Keys stay: their ID tokens and the copies of their public halves are out there. A restore compares them.
        IdPTable("signing_key", restore: .stays, lostCommits: .stays),
        // Its sign-in has ended, so the restore tells nobody of it. A client that has taken one since takes it once more, and
        // answers that it knows it (docs/protocol.md).
        IdPTable(
            "sign_out_message",
            restore: .changed(
                "UPDATE sign_out_message SET leased_until = NULL, next_try_at = :now WHERE settled_at IS NULL"),
            lostCommits: .stays),
        IdPTable(
            "sso_token", restore: .changed(voidedTokens),
            lostCommits: .changed("\(voidedTokens) AND expires_at > :recent"), kept: .grant),
        // Of no use to the provider a second time, and harmless. A restore adds those of the replaced database.
        IdPTable("token_revocation", restore: .stays, lostCommits: .stays),
        IdPTable("used_username", restore: .stays, lostCommits: .stays),
        // What was used stays used. The answers to attempts of before are of no use without them.
        IdPTable("used_provider_answer", restore: .stays, lostCommits: .stays),
        IdPTable("user_group", restore: .stays, lostCommits: .stays),
    ]

    private static let raisedRevision = "UPDATE registry_revision SET revision = revision + 1000000"
    private static let voidedTokens =
        "UPDATE sso_token SET voided_at = :now WHERE used_at IS NULL AND voided_at IS NULL"

    /// Further back than the clocks of two nodes are apart.
    private static let margin: Duration = .minutes(10)

    /// Ends in every table what may have ended, or been used, in the time that is missing.
    package static func end(_ cause: Cause, at now: Timestamp, _ connection: any SQLConnection) throws {
        for table in all {
            switch cause == .restore ? table.restore : table.lostCommits {
            case .stays: continue
            case .changed(let sql):
                try connection.execute(sql, ["now": .timestamp(now), "recent": .timestamp(now - margin)])
            }
        }
    }
}
