/// The tables of handoffs, for the migrations.
package enum HandoffSchema {
    package static let sql = [
        // redirect_uri is one of IDP_NATIVE_APPS. The columns from code_digest on are set when the user has signed in.
        """
        CREATE TABLE handoff (
            id TEXT PRIMARY KEY NOT NULL,
            method TEXT NOT NULL,
            code_challenge TEXT NOT NULL,
            redirect_uri TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            code_digest BLOB UNIQUE,
            code_expires_at BIGINT,
            account_id TEXT,
            account_sign_outs BIGINT,
            session_handle TEXT,
            authenticated_at BIGINT,
            methods TEXT,
            ended_at BIGINT,
            is_proven INTEGER
        )
        """,
        "CREATE INDEX handoff_expires_at ON handoff (expires_at)",
        "CREATE INDEX handoff_account ON handoff (account_id, created_at) WHERE account_id IS NOT NULL",
    ]

    package static let strength = ["ALTER TABLE handoff ADD COLUMN strength TEXT"]
}
