/// The tables of the audit log, for the migrations.
package enum AuditSchema {
    package static let sql = [
        // occurrences is set in rows that count events of an hour.
        """
        CREATE TABLE audit_event (
            id BLOB PRIMARY KEY NOT NULL,
            created_at BIGINT NOT NULL,
            event TEXT NOT NULL,
            actor TEXT NOT NULL,
            account_id TEXT,
            client_id TEXT,
            session_handle TEXT,
            flow TEXT,
            reference TEXT,
            network TEXT,
            cause TEXT,
            detail TEXT,
            address TEXT,
            address_mac BLOB,
            occurrences BIGINT
        )
        """,
        "CREATE INDEX audit_event_account ON audit_event (account_id, id) WHERE account_id IS NOT NULL",
    ]
}
