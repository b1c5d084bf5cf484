/// The tables of the audit log, for the migrations.
package enum AuditSchema {
    package static let sql = [
        "CREATE TABLE audit_event (\n\(definitions)\n)",
        accountIndex,
    ]

    /// In SQLite the rows themselves lie in the order of their ids, which is that of time: a row changes one page less, and its id
    /// stands once.
    package static let byTime = [
        "CREATE TABLE audit_event_by_time (\n\(definitions)\n) WITHOUT ROWID",
        "INSERT INTO audit_event_by_time (\(columns)) SELECT \(columns) FROM audit_event ORDER BY id",
        "DROP TABLE audit_event",
        "ALTER TABLE audit_event_by_time RENAME TO audit_event",
        accountIndex,
    ]

    /// For pages and jobs that look for a few events among many rows. Those that each token makes are left out, so that a sign-in at
    /// a client writes no page more.
    package static let byEvent = [
        "CREATE INDEX audit_event_reference ON audit_event (reference, id) WHERE reference IS NOT NULL",
        "CREATE INDEX audit_event_address ON audit_event (address_mac, id) WHERE address_mac IS NOT NULL",
    ]

    /// In place of an index whose condition was a list (`NOT IN`): for that one SQLite made a temporary table at each new row.
    package static let byRareEvent = [
        "DROP INDEX IF EXISTS audit_event_event",
        "CREATE INDEX audit_event_event ON audit_event (event, id) WHERE \(isRare)",
    ]

    /// The condition of ``byRareEvent``. A query that may use the index has the same text.
    package static let isRare = frequent.map { "event <> '\($0)'" }.joined(separator: " AND ")
    static let frequent = ["token_issued", "token_redeemed", "token_refreshed"]

    /// `occurrences` is set in rows that count events of an hour.
    private static let definitions = """
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
        """

    private static let columns = """
        id, created_at, event, actor, account_id, client_id, session_handle, flow, reference, network, cause, detail, address,
        address_mac, occurrences
        """

    private static let accountIndex =
        "CREATE INDEX audit_event_account ON audit_event (account_id, id) WHERE account_id IS NOT NULL"
}
