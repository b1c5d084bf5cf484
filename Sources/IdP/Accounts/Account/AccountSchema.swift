/// The tables of accounts, for the migrations.
package enum AccountSchema {
    package static let sql = [
        // added_at: an operator added it, by an invitation or an import; imported_at: an import names it. It may not sign in from
        // ends_at on; end_done: its sign-ins were ended for that. NULL in username: not given yet. updated_at is that of its claims.
        """
        CREATE TABLE account (
            id TEXT PRIMARY KEY NOT NULL,
            email TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            disabled INTEGER NOT NULL DEFAULT 0,
            created_at BIGINT NOT NULL,
            sign_outs BIGINT NOT NULL DEFAULT 0,
            added_at BIGINT,
            imported_at BIGINT,
            ends_at BIGINT,
            end_done INTEGER NOT NULL DEFAULT 0,
            erase_at BIGINT,
            language TEXT,
            username TEXT,
            updated_at BIGINT
        )
        """,
        "CREATE INDEX account_imported ON account (imported_at) WHERE imported_at IS NOT NULL",
        "CREATE INDEX account_ends_at ON account (ends_at) WHERE ends_at IS NOT NULL AND end_done = 0",
        "CREATE INDEX account_erase_at ON account (erase_at) WHERE erase_at IS NOT NULL",
        "CREATE UNIQUE INDEX account_username ON account (username)",
        // issuer is empty for identities without one: a NULL would never equal another in the primary key. email_changed_at is when
        // is_email_disabled or the address changed, by the provider's clock. refresh_token is sealed: usable only with IDP_SECRET_KEY.
        // is_vouched: the provider, as the owner of the domain, has vouched for the account's own address.
        """
        CREATE TABLE account_identity (
            kind TEXT NOT NULL,
            issuer TEXT NOT NULL,
            subject TEXT NOT NULL,
            account_id TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            provider TEXT,
            email TEXT,
            is_private_email INTEGER NOT NULL DEFAULT 0,
            is_email_disabled INTEGER NOT NULL DEFAULT 0,
            email_changed_at BIGINT,
            used_at BIGINT,
            refresh_token BLOB,
            is_vouched INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (kind, issuer, subject)
        )
        """,
        "CREATE INDEX account_identity_account ON account_identity (account_id)",
        // A name is never reused, so its hash stays when the account is erased.
        "CREATE TABLE used_username (digest BLOB PRIMARY KEY NOT NULL)",
        // refresh_token is sealed, as it was in account_identity.
        """
        CREATE TABLE token_revocation (
            refresh_token BLOB PRIMARY KEY NOT NULL,
            issuer TEXT NOT NULL,
            provider TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            next_try_at BIGINT NOT NULL
        )
        """,
    ]
}
