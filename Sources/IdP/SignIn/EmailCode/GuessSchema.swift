/// The tables of wrong codes, for the migrations.
package enum GuessSchema {
    package static let sql = [
        """
        CREATE TABLE code_guess (
            id TEXT PRIMARY KEY NOT NULL,
            address TEXT NOT NULL,
            guessed_at BIGINT NOT NULL,
            device_id TEXT
        )
        """,
        "CREATE INDEX code_guess_address ON code_guess (address, guessed_at)",
        "CREATE INDEX code_guess_guessed_at ON code_guess (guessed_at)",
        "CREATE TABLE guess_alarm (id INTEGER PRIMARY KEY NOT NULL, last_at BIGINT NOT NULL)",
    ]
}
