package import SSOShared
package import SSOWeb
package import Storage

/// What operators see of the queue.
extension MailQueue {
    /// Since when the mail server takes no email; nil while it does.
    package func outage(_ connection: any SQLConnection) throws -> Timestamp? {
        try connection.query("SELECT since FROM mail_outage").first?.timestamp("since")
    }

    /// Since when the oldest email waits that still may be sent.
    package static func oldestWaiting(at now: Timestamp, _ connection: any SQLConnection) throws -> Timestamp? {
        try connection.query(
            """
            SELECT MIN(created_at) AS oldest FROM mail_queue
             WHERE sent_at IS NULL AND subject_id IS NOT NULL AND (expires_at > :now OR notice_until > :now)
            """, ["now": .timestamp(now)]
        ).first?.optionalInteger("oldest").map(Timestamp.init(milliseconds:))
    }

    /// When the next email may go to an address that a browser asks for which is not known; nil for now.
    @Sendable package static func nextForUnknownBrowser(
        _ address: EmailAddress, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Timestamp? {
        try nextAllowed(
            for: address.budgetKey, EmailRequester(browserID: nil, network: nil), now: now, connection)
    }
}
