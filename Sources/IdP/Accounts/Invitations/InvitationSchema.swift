/// The tables of invitations, for the migrations.
package enum InvitationSchema {
    package static let sql = [
        // key_digest is the hash of the key in the email's link. presses counts the sign-ins that were begun with it.
        """
        CREATE TABLE invitation (
            id TEXT PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL,
            key_digest BLOB NOT NULL UNIQUE,
            client_id TEXT,
            language TEXT NOT NULL,
            presses INTEGER NOT NULL DEFAULT 0,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            withdrawn_at BIGINT
        )
        """,
        "CREATE INDEX invitation_account ON invitation (account_id, created_at)",
        "CREATE INDEX invitation_created_at ON invitation (created_at)",
    ]

    /// Who invites, as the email says it; NULL for nobody in particular.
    package static let inviter = ["ALTER TABLE invitation ADD COLUMN inviter TEXT"]
}
