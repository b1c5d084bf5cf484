/// The table of keys for apps behind the gate, for the migrations.
package enum AppKeySchema {
    package static let sql = [
        // account_id is missing for the key of a machine, which has group_ids of its own, sorted and separated by spaces. A key that
        // was ended is deleted. used_at is exact to the minute.
        """
        CREATE TABLE app_key (
            id TEXT PRIMARY KEY NOT NULL,
            digest BLOB NOT NULL UNIQUE,
            client_id TEXT NOT NULL,
            account_id TEXT,
            name TEXT NOT NULL,
            group_ids TEXT NOT NULL,
            strength TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            used_at BIGINT,
            used_network TEXT
        )
        """,
        "CREATE INDEX app_key_account ON app_key (account_id) WHERE account_id IS NOT NULL",
        "CREATE INDEX app_key_client ON app_key (client_id)",
        "CREATE INDEX app_key_expires_at ON app_key (expires_at)",
    ]
}
