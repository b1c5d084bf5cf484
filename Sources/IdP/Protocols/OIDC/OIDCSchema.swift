/// The tables of OpenID Connect, for the migrations.
package enum OIDCSchema {
    package static let sql = [
        // family is the hash of the code that a token goes back to. A row that was revoked has expired when it was created.
        """
        CREATE TABLE oidc_access_token (
            digest BLOB PRIMARY KEY NOT NULL,
            family BLOB NOT NULL,
            client_id TEXT NOT NULL,
            account_id TEXT NOT NULL,
            account_sign_outs BIGINT NOT NULL,
            told_session TEXT NOT NULL,
            sign_in_beginnings BIGINT NOT NULL,
            scope TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX oidc_access_token_family ON oidc_access_token (family)",
        "CREATE INDEX oidc_access_token_expires_at ON oidc_access_token (expires_at)",
        // successor_key is the id of the key that its successor was derived with. A used row stays until the family is over. The
        // last index is for a promotion of a standby, which must not look at used rows: they are many.
        """
        CREATE TABLE oidc_refresh_token (
            digest BLOB PRIMARY KEY NOT NULL,
            family BLOB NOT NULL,
            client_id TEXT NOT NULL,
            account_id TEXT NOT NULL,
            account_sign_outs BIGINT NOT NULL,
            told_session TEXT NOT NULL,
            sign_in_beginnings BIGINT NOT NULL,
            scope TEXT NOT NULL,
            authenticated_at BIGINT NOT NULL,
            is_proven INTEGER NOT NULL,
            methods TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            family_ends_at BIGINT NOT NULL,
            used_at BIGINT,
            successor_key TEXT,
            ended_at BIGINT
        )
        """,
        "CREATE INDEX oidc_refresh_token_family ON oidc_refresh_token (family)",
        "CREATE INDEX oidc_refresh_token_family_ends_at ON oidc_refresh_token (family_ends_at)",
        """
        CREATE INDEX oidc_refresh_token_unused ON oidc_refresh_token (expires_at)
         WHERE used_at IS NULL AND ended_at IS NULL
        """,
    ]

    package static let strength = [
        "ALTER TABLE oidc_refresh_token ADD COLUMN strength TEXT NOT NULL DEFAULT 'any'"
    ]
}
