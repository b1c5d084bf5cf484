/// The table of sessions at services behind the gate, for the migrations.
package enum GateSchema {
    package static let sql = [
        // Hangs on the row of client_sign_in, and so on the session here. expires_at is the latest end that this can have.
        """
        CREATE TABLE gate_session (
            digest BLOB PRIMARY KEY NOT NULL,
            client_id TEXT NOT NULL,
            account_id TEXT NOT NULL,
            told_session TEXT NOT NULL,
            sign_in_beginnings BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX gate_session_told ON gate_session (told_session, client_id)",
        "CREATE INDEX gate_session_expires_at ON gate_session (expires_at)",
    ]
}
