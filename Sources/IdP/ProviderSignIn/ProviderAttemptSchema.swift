/// The tables of sign-ins with providers, for the migrations.
package enum ProviderAttemptSchema {
    package static let sql = [
        // answer is sealed, and there only between a form_post and the GET after it. registration is a hash of issuer and client id.
        """
        CREATE TABLE provider_attempt (
            id TEXT PRIMARY KEY NOT NULL,
            provider TEXT NOT NULL,
            registration BLOB NOT NULL,
            purpose TEXT NOT NULL,
            flow TEXT,
            account_id TEXT,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            answer BLOB,
            answer_digest BLOB UNIQUE,
            used_at BIGINT
        )
        """,
        "CREATE INDEX provider_attempt_expires_at ON provider_attempt (expires_at)",
        "CREATE INDEX provider_attempt_answer ON provider_attempt (expires_at) WHERE answer IS NOT NULL",
        // Codes and ID tokens that were used.
        "CREATE TABLE used_provider_answer (digest BLOB PRIMARY KEY NOT NULL, expires_at BIGINT NOT NULL)",
        "CREATE INDEX used_provider_answer_expires_at ON used_provider_answer (expires_at)",
    ]
}
