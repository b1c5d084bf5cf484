/// The tables of known browsers, for the migrations.
package enum KnownBrowserSchema {
    package static let sql = [
        """
        CREATE TABLE device (
            id TEXT PRIMARY KEY NOT NULL,
            address TEXT NOT NULL,
            secret_digest BLOB NOT NULL,
            previous_digest BLOB,
            created_at BIGINT NOT NULL,
            used_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX device_address ON device (address, used_at)",
        "CREATE INDEX device_expires_at ON device (expires_at)",
    ]
}
