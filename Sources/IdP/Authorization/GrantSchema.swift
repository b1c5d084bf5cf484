/// The tables of grants, for the migrations.
package enum GrantSchema {
    package static let sql = [
        // kind is the client protocol that a grant was issued by, payload what the protocol keeps with it. is_proven: whether
        // authenticated_at is proven.
        """
        CREATE TABLE sso_token (
            digest BLOB PRIMARY KEY NOT NULL,
            client_id TEXT NOT NULL,
            redirect_uri TEXT NOT NULL,
            code_challenge TEXT NOT NULL,
            state_digest BLOB NOT NULL,
            account_id TEXT NOT NULL,
            session_handle TEXT NOT NULL,
            authenticated_at BIGINT NOT NULL,
            methods TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            used_at BIGINT,
            voided_at BIGINT,
            account_sign_outs BIGINT NOT NULL DEFAULT 0,
            is_proven INTEGER,
            kind TEXT NOT NULL DEFAULT 'sso',
            payload BLOB
        )
        """,
        "CREATE INDEX sso_token_flow ON sso_token (session_handle, client_id, state_digest)",
        "CREATE INDEX sso_token_expires_at ON sso_token (expires_at)",
    ]

    /// What the sign-in was, and whether the user signed in for this grant.
    package static let strength = [
        "ALTER TABLE sso_token ADD COLUMN strength TEXT NOT NULL DEFAULT 'any'",
        "ALTER TABLE sso_token ADD COLUMN caused_sign_in INTEGER NOT NULL DEFAULT 0",
    ]
}
