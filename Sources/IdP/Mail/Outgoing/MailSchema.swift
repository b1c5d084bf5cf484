/// The tables of outgoing mail, for the migrations.
package enum MailSchema {
    package static let sql = [
        // notice_until is set for a notice: it may be sent until then, and its expires_at is 0. is_paced: only so many of them leave in
        // a minute; taken_at is when one was tried last.
        """
        CREATE TABLE mail_queue (
            id TEXT PRIMARY KEY NOT NULL,
            address TEXT NOT NULL,
            subject_id TEXT,
            created_at BIGINT NOT NULL,
            due_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            sent_at BIGINT,
            device_id TEXT,
            network BLOB,
            has_account INTEGER NOT NULL DEFAULT 0,
            kind TEXT NOT NULL DEFAULT 'email_code',
            notice_until BIGINT,
            is_paced INTEGER NOT NULL DEFAULT 0,
            taken_at BIGINT
        )
        """,
        "CREATE INDEX mail_queue_address ON mail_queue (address, created_at)",
        "CREATE INDEX mail_queue_created_at ON mail_queue (created_at)",
        "CREATE INDEX mail_queue_counted ON mail_queue (created_at) WHERE subject_id IS NOT NULL",
        "CREATE INDEX mail_queue_waiting ON mail_queue (due_at) WHERE sent_at IS NULL AND subject_id IS NOT NULL",
        "CREATE INDEX mail_queue_decoy ON mail_queue (due_at) WHERE sent_at IS NULL AND subject_id IS NULL",
        "CREATE INDEX mail_queue_notice ON mail_queue (due_at) WHERE sent_at IS NULL AND notice_until IS NOT NULL",
        "CREATE INDEX mail_queue_unsent ON mail_queue (network, created_at) WHERE sent_at IS NULL",
        "CREATE INDEX mail_queue_taken_at ON mail_queue (taken_at) WHERE taken_at IS NOT NULL",
        // A row from the first email that the mail server could not be reached for to the next that it took.
        "CREATE TABLE mail_outage (id INTEGER PRIMARY KEY NOT NULL, since BIGINT NOT NULL)",
    ]
}
