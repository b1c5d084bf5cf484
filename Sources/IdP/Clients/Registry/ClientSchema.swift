/// The tables of clients, for the migrations.
package enum ClientSchema {
    package static let sql = [
        // entry: the keys of the clients file, without the secrets.
        """
        CREATE TABLE client (
            id TEXT PRIMARY KEY NOT NULL,
            entry TEXT NOT NULL,
            logo BLOB,
            is_enabled INTEGER NOT NULL,
            created_at BIGINT NOT NULL,
            changed_at BIGINT NOT NULL
        )
        """,
        // Sealed: usable only with IDP_SECRET_KEY. replaced_at is set in the previous one.
        """
        CREATE TABLE client_secret (
            client_id TEXT NOT NULL,
            fingerprint TEXT NOT NULL UNIQUE,
            secret BLOB NOT NULL,
            added_at BIGINT NOT NULL,
            replaced_at BIGINT,
            ends_after BIGINT NOT NULL,
            PRIMARY KEY (client_id, fingerprint)
        )
        """,
        // Of the secrets in the clients file, too.
        """
        CREATE TABLE client_secret_use (
            client_id TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            first_used_at BIGINT NOT NULL,
            last_used_at BIGINT NOT NULL,
            PRIMARY KEY (client_id, fingerprint)
        )
        """,
        // Rises with each change of the clients in the database.
        "CREATE TABLE registry_revision (part TEXT PRIMARY KEY NOT NULL, revision BIGINT NOT NULL)",
    ]
}
