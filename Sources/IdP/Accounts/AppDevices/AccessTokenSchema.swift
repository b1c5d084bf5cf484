/// The tables of access tokens of apps, for the migrations.
package enum AccessTokenSchema {
    package static let sql = [
        // is_proven: whether authenticated_at is proven.
        """
        CREATE TABLE access_token (
            id TEXT PRIMARY KEY NOT NULL,
            digest BLOB NOT NULL UNIQUE,
            account_id TEXT NOT NULL,
            account_sign_outs BIGINT NOT NULL,
            device TEXT NOT NULL,
            session_handle TEXT NOT NULL,
            authenticated_at BIGINT NOT NULL,
            methods TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            used_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            is_proven INTEGER
        )
        """,
        "CREATE INDEX access_token_account ON access_token (account_id)",
        "CREATE INDEX access_token_session ON access_token (session_handle)",
        "CREATE INDEX access_token_expires_at ON access_token (expires_at)",
    ]

    /// Of the sign-in. An app that signed in before asks for a new sign-in where a strong one is needed.
    package static let strength = ["ALTER TABLE access_token ADD COLUMN strength TEXT NOT NULL DEFAULT 'any'"]
}
