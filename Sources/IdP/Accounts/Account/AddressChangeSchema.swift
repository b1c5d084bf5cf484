/// The table of changes of addresses by their users, for the migrations.
package enum AddressChangeSchema {
    package static let sql = [
        // fate: what becomes of the email to the new address. changed_at: its code was typed; stopped_at: the old address is back.
        """
        CREATE TABLE address_change (
            id TEXT PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL,
            session TEXT NOT NULL,
            old_address TEXT NOT NULL,
            new_address TEXT NOT NULL,
            fate TEXT NOT NULL,
            language TEXT NOT NULL,
            tries INTEGER NOT NULL DEFAULT 0,
            created_at BIGINT NOT NULL,
            changed_at BIGINT,
            stopped_at BIGINT
        )
        """,
        "CREATE INDEX address_change_account ON address_change (account_id, created_at)",
        "CREATE INDEX address_change_new ON address_change (new_address, created_at)",
        "CREATE INDEX address_change_old ON address_change (old_address) WHERE changed_at IS NOT NULL",
        "CREATE INDEX address_change_created_at ON address_change (created_at)",
    ]
}
