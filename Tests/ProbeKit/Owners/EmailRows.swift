package import SSOWeb
import Storage

package enum EmailTable: StoredTable { package static let name = "mail_queue" }

extension StoredRows {
    /// The emails of the queue, with its decoys.
    package var emails: TableRows<EmailTable> { rows() }
}

extension TableRows where Table == EmailTable {
    package func to(_ address: String) -> Self { with("address = \(quoted(address))") }
    package func toAddresses(from start: String) -> Self { with("address LIKE \(quoted(start + "%"))") }
    package func ofKind(_ kind: String) -> Self { with("kind = \(quoted(kind))") }
    package var real: Self { with("subject_id IS NOT NULL") }
    package var decoys: Self { with("subject_id IS NULL") }
    package var notices: Self { with("notice_until IS NOT NULL") }
    /// Those for a known browser.
    package var ofKnownBrowsers: Self { with("device_id IS NOT NULL") }
    package var sent: Self { with("sent_at IS NOT NULL") }
    package var unsent: Self { with("sent_at IS NULL") }
    /// Those that had so many deliveries.
    package func tried(_ times: Int) -> Self { with("attempts = \(times)") }
    package func tried(moreThan times: Int) -> Self { with("attempts > \(times)") }
    /// Those that wait for another try.
    package var putOff: Self { with("due_at > created_at") }
    package func putOff(by span: Duration) -> Self { with("due_at = created_at + \(span.milliseconds)") }
    package func putOff(lessThan span: Duration) -> Self { with("due_at < created_at + \(span.milliseconds)") }
    /// Those that are not notices of a moment at which nothing is sent any more.
    package var waiting: Self { with("due_at > 0") }
    package func due(at moment: Timestamp) -> Self { with("due_at <= \(moment.milliseconds)") }
    /// Those that can be sent by then, as emails with a code are.
    package func valid(after moment: Timestamp) -> Self { with("expires_at > \(moment.milliseconds)") }
    package func queued(until moment: Timestamp) -> Self { with("created_at <= \(moment.milliseconds)") }
    /// Those that are due, or were tried. One that is being sent has a later `due_at`: its lease.
    package func dueOrTried(at moment: Timestamp) -> Self { with("attempts > 0 OR due_at <= \(moment.milliseconds)") }
    /// Those that are due, or were not tried yet.
    package func dueOrUntried(at moment: Timestamp) -> Self { with("attempts = 0 OR due_at <= \(moment.milliseconds)") }

    package func addresses() async throws -> Set<String> { Set(try await texts("address")) }
    package func kinds() async throws -> Set<String> { Set(try await texts("kind")) }
    /// Ids, addresses and subjects, as one text each.
    package func allTexts() async throws -> [String] { try await texts("id || address || COALESCE(subject_id, '')") }
    /// The deliveries of the one that had most; nil without an email.
    package func mostTries() async throws -> Int? { try await number("MAX(attempts)") }

    /// Takes them out of the budget of their address. They stay: a guess counts only while the email with the code is known.
    package func forget() async throws { try await set("address = 'forgotten ' || address") }
    /// As if they had been asked for so much earlier.
    package func age(by span: Duration) async throws {
        try await set("created_at = created_at - \(span.milliseconds)")
    }

    /// Adds decoys, each to an address of its own.
    package func addDecoys(_ count: Int, at now: Timestamp, until end: Timestamp) async throws {
        // One statement: on PostgreSQL each is a trip to the server, and a transaction has only seconds.
        try await StoredRows(database).change([
            """
            WITH RECURSIVE decoy (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM decoy WHERE number < \(count))
            INSERT INTO mail_queue (id, address, created_at, due_at, expires_at)
            SELECT 'd' || number, 'd' || number || '@nowhere.example', \(now.milliseconds), \(now.milliseconds),
                   \(end.milliseconds)
              FROM decoy
            """
        ])
    }
}
