/// The tables of groups, for the migrations.
package enum GroupSchema {
    package static let sql = [
        "CREATE TABLE user_group (id TEXT PRIMARY KEY NOT NULL, created_at BIGINT NOT NULL)",
        """
        CREATE TABLE group_member (
            account_id TEXT NOT NULL,
            group_id TEXT NOT NULL,
            joined_at BIGINT NOT NULL,
            PRIMARY KEY (account_id, group_id)
        )
        """,
        "CREATE INDEX group_member_group ON group_member (group_id)",
    ]
}
