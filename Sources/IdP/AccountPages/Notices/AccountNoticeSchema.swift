/// The tables of notices to users, for the migrations.
package enum AccountNoticeSchema {
    package static let sql = [
        // new_address is the one that the account has now, in the notice about that.
        """
        CREATE TABLE account_notice (
            id TEXT PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL,
            address TEXT NOT NULL,
            change TEXT NOT NULL,
            provider TEXT NOT NULL,
            device TEXT,
            language TEXT NOT NULL,
            is_last INTEGER NOT NULL DEFAULT 0,
            created_at BIGINT NOT NULL,
            new_address TEXT
        )
        """,
        "CREATE INDEX account_notice_account ON account_notice (account_id, created_at)",
        "CREATE INDEX account_notice_created_at ON account_notice (created_at)",
    ]
}
