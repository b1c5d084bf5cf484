/// The tables of apps that link a provider, for the migrations.
package enum AppIdentitySchema {
    package static let sql = [
        // One for each app that links a provider: ticket, then identity (sealed), then code.
        """
        CREATE TABLE app_link (
            id TEXT PRIMARY KEY NOT NULL,
            ticket_digest BLOB NOT NULL UNIQUE,
            account_id TEXT NOT NULL,
            token_id TEXT NOT NULL UNIQUE,
            provider TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            begun_at BIGINT,
            code_challenge TEXT,
            redirect_uri TEXT,
            identity BLOB,
            code_digest BLOB UNIQUE,
            code_expires_at BIGINT,
            ended_at BIGINT
        )
        """,
        "CREATE INDEX app_link_expires_at ON app_link (expires_at)",
    ]
}
