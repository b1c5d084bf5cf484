/// The table of printed links, for the migrations.
package enum PrintedLinkSchema {
    package static let sql = [
        // A used one stays with its account: that began by an operator's word.
        """
        CREATE TABLE sign_in_link (
            digest BLOB PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            used_at BIGINT,
            withdrawn_at BIGINT
        )
        """,
        "CREATE INDEX sign_in_link_account ON sign_in_link (account_id)",
    ]
}
