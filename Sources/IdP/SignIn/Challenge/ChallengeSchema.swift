/// The tables of challenges, for the migrations.
package enum ChallengeSchema {
    package static let sql = [
        // An empty email_id: no email with this code was put in the queue.
        """
        CREATE TABLE challenge (
            id TEXT PRIMARY KEY NOT NULL,
            address TEXT NOT NULL,
            eligible INTEGER NOT NULL,
            code_mac BLOB NOT NULL,
            tries INTEGER NOT NULL DEFAULT 0,
            service TEXT,
            device TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            used_at BIGINT,
            email_id TEXT,
            device_id TEXT,
            language TEXT NOT NULL DEFAULT 'en',
            flow TEXT,
            answered_at BIGINT,
            log_flow TEXT,
            place TEXT
        )
        """,
        "CREATE INDEX challenge_expires_at ON challenge (expires_at)",
    ]
}
