/// The tables of sign-out, for the migrations.
package enum SignOutSchema {
    package static let sql = [
        // Which client was told which session. session_handle is the session that it belongs to now.
        """
        CREATE TABLE client_sign_in (
            session_handle TEXT NOT NULL,
            client_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            told_session TEXT NOT NULL,
            account_id TEXT NOT NULL,
            first_used_at BIGINT NOT NULL,
            last_used_at BIGINT NOT NULL,
            ended_at BIGINT,
            reason TEXT,
            beginnings BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (session_handle, client_id, kind)
        )
        """,
        "CREATE INDEX client_sign_in_told ON client_sign_in (told_session)",
        "CREATE INDEX client_sign_in_account ON client_sign_in (account_id)",
        // The queue of messages to clients. settled_at is NULL while a message waits.
        """
        CREATE TABLE sign_out_message (
            id TEXT PRIMARY KEY NOT NULL,
            kind TEXT NOT NULL,
            client_id TEXT NOT NULL,
            account_id TEXT NOT NULL,
            told_session TEXT,
            created_at BIGINT NOT NULL,
            retried_at BIGINT,
            tries INTEGER NOT NULL,
            next_try_at BIGINT NOT NULL,
            leased_until BIGINT,
            last_error TEXT,
            settled_at BIGINT,
            is_delivered INTEGER NOT NULL DEFAULT 0
        )
        """,
        "CREATE INDEX sign_out_message_due ON sign_out_message (next_try_at) WHERE settled_at IS NULL",
        "CREATE INDEX sign_out_message_waiting ON sign_out_message (client_id, next_try_at) WHERE settled_at IS NULL",
        "CREATE INDEX sign_out_message_leased ON sign_out_message (leased_until) WHERE leased_until IS NOT NULL",
        "CREATE INDEX sign_out_message_account ON sign_out_message (account_id, created_at)",
        "CREATE INDEX sign_out_message_settled ON sign_out_message (settled_at) WHERE settled_at IS NOT NULL",
    ]
}
