package import SSOWeb
import Storage

extension MailQueue {
    /// How many emails that a network has asked for within the hour have reached nobody: the mail server cannot be reached,
    /// it did not accept them yet, or they have expired in the queue. Known browsers count for themselves.
    ///
    /// An email that waits for its first try counts as sent while the mail server works, or a flood would excuse itself.
    /// Decoys have the same rows with the same outcome.
    ///
    /// - Parameters:
    ///   - network: as ``EmailRequester`` names it.
    ///   - bound: the largest number that matters.
    package func unreached(of network: [UInt8], bound: Int) async throws -> Int {
        let now = clock.now()
        return try await database.read { connection in
            try connection.query(
                """
                SELECT 1 FROM mail_queue
                 WHERE network = :network AND sent_at IS NULL AND created_at > :since AND created_at <= :now
                   AND device_id IS NULL
                   AND (attempts > 1 OR expires_at <= :now OR EXISTS (SELECT 1 FROM mail_outage))
                 LIMIT :bound
                """,
                [
                    "network": .blob(network), "since": .timestamp(now - .hours(1)), "now": .timestamp(now),
                    "bound": .integer(Int64(bound)),
                ]
            ).count
        }
    }
}

extension MailQueue {
    /// The emails that may leave now, and since when the oldest of them may.
    package func waiting() async throws -> (count: Int64, oldest: Timestamp?) {
        let now = clock.now()
        return try await database.read { connection in
            let row = try connection.query(
                """
                SELECT COUNT(*) AS waiting, MIN(due_at) AS oldest FROM mail_queue
                 WHERE sent_at IS NULL AND subject_id IS NOT NULL AND due_at > 0 AND due_at <= :now
                """, ["now": .timestamp(now)]
            ).first
            return (
                try row?.integer("waiting") ?? 0,
                try row?.optionalInteger("oldest").map(Timestamp.init(milliseconds:))
            )
        }
    }
}
