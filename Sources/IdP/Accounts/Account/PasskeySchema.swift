/// The tables of passkeys, for the migrations.
package enum PasskeySchema {
    package static let sql = [
        // credential_id is base64url, as the subject in account_identity, which has the moments of its addition and its use.
        // is_verified: the authenticator had checked the user when it made the key (UV). is_backup_eligible (BE) never changes.
        """
        CREATE TABLE passkey (
            id TEXT PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL,
            rp_id TEXT NOT NULL,
            credential_id TEXT NOT NULL,
            public_key BLOB NOT NULL,
            algorithm BIGINT NOT NULL,
            sign_count BIGINT NOT NULL,
            is_verified INTEGER NOT NULL,
            is_backup_eligible INTEGER NOT NULL,
            is_backed_up INTEGER NOT NULL,
            transports TEXT NOT NULL,
            aaguid BLOB NOT NULL,
            name TEXT NOT NULL,
            UNIQUE (rp_id, credential_id)
        )
        """,
        "CREATE INDEX passkey_account ON passkey (account_id)",
        // What authenticators keep of an account. It never changes, and says nothing about the account.
        "CREATE TABLE passkey_user (account_id TEXT PRIMARY KEY NOT NULL, handle BLOB NOT NULL UNIQUE)",
    ]
}
