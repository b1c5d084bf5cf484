/// The table `session`, for the migrations of a program that keeps sessions.
extension SessionStore {
    /// The table, for the migrations of a program that keeps sessions.
    public static var schema: [String] {
        [
            """
            CREATE TABLE session (
                id_digest BLOB PRIMARY KEY NOT NULL,
                handle TEXT NOT NULL UNIQUE,
                form_seed TEXT NOT NULL,
                slots TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                seen_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX session_expires_at ON session (expires_at)",
        ]
    }

    /// What was added to the table: whether a form was ever submitted in the session. A process of the version before
    /// names no such column: its rows count as submitted, and are never evicted.
    public static var visitorSchema: [String] {
        [
            "ALTER TABLE session ADD COLUMN submitted INTEGER NOT NULL DEFAULT 1",
            "CREATE INDEX session_visitor ON session (created_at) WHERE submitted = 0",
        ]
    }

    /// What was added to the table for users who ask to stay signed in. A process of the version before names no such column:
    /// its rows are not remembered.
    ///
    /// The index was on `expires_at`, in which a remembered row is the last one however old it is. See ``newestRow()``.
    public static var rememberedSchema: [String] {
        [
            "ALTER TABLE session ADD COLUMN is_remembered INTEGER NOT NULL DEFAULT 0",
            "DROP INDEX session_browser",
            "CREATE INDEX session_browser ON session (created_at) WHERE owner IS NULL",
        ]
    }
}
