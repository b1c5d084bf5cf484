extension SessionStore {
    /// The table `session`, for the migrations of a program that keeps sessions.
    ///
    /// submitted: whether a form was ever submitted in the session. owner and device are those of an app's session. The index of
    /// browsers is on created_at: in expires_at a remembered session is the last one however old it is, see ``newestRow()``.
    ///
    /// - Parameter columns: the program's own, such as `account_id TEXT`.
    public static func schema(adding columns: [String]) -> [String] {
        [
            """
            CREATE TABLE session (
                id_digest BLOB PRIMARY KEY NOT NULL,
                handle TEXT NOT NULL UNIQUE,
                form_seed TEXT NOT NULL,
                slots TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                seen_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                submitted INTEGER NOT NULL DEFAULT 1,
                owner TEXT,
                device TEXT,
                \(columns.map { $0 + ", " }.joined())
                is_remembered INTEGER NOT NULL DEFAULT 0
            )
            """,
            "CREATE INDEX session_expires_at ON session (expires_at)",
            "CREATE INDEX session_visitor ON session (created_at) WHERE submitted = 0",
            "CREATE INDEX session_owner ON session (owner) WHERE owner IS NOT NULL",
            "CREATE INDEX session_browser ON session (created_at) WHERE owner IS NULL",
        ]
    }
}
