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
        // When somebody signed in to the account first. Of an account from before this step it is known only that an operator has
        // made it, and that none of its sign-ins was ever ended: any other counts as one that somebody has signed in to.
        "ALTER TABLE account ADD COLUMN begun_at BIGINT",
        """
        UPDATE account SET begun_at = created_at
         WHERE sign_outs > 0 OR added_at IS NULL OR added_at > created_at
            OR EXISTS (SELECT 1 FROM account_identity i WHERE i.account_id = account.id)
        """,
    ]
}
