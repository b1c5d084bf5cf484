package import Logging
package import SSOShared
package import SSOWeb
package import Storage
import Synchronization

/// Owns the rows of `audit_event`.
///
/// An id begins with the moment, so rows are sorted by time, and new ones go to the end of the index. Beside the rows of
/// events there is one row for each hour and event that visitors cause. It counts, and is shown once there are more events
/// than rows. An account whose events of an hour are more than its share (``AuditShares``) has such a row for each event that was
/// left out.
package struct AuditStore: Sendable {
    /// Events of one kind that visitors cause get so many rows in an hour.
    package static let maximumRowsPerHour: Int64 = 1000

    package let database: any Database
    package let clock: ServiceClock
    let randomness: any Randomness
    private let shares = AuditShares()

    package init(
        database: any Database, clock: ServiceClock = .system(), randomness: any Randomness = SystemRandomness()
    ) {
        (self.database, self.clock, self.randomness) = (database, clock, randomness)
    }

    /// Says that something happens in this transaction: its row is written now, and the line and the count follow the commit.
    /// The body may run again: what its last run has said counts.
    package func record(_ event: Event, _ logger: Logger, _ connection: any SQLConnection) throws {
        if event.isForAuditLog { try write(event, connection) }
        connection.afterCommit { logger.record(event, $0) }
    }

    /// Writes a row in the transaction of what it records.
    ///
    /// Two statements for an event that visitors cause, whatever its account or address is, and one for any other event. An event
    /// that gets no row is counted.
    package func write(_ row: Event, _ connection: any SQLConnection) throws {
        let now = clock.now()
        if row.kind.isOfVisitors {
            guard try count(row.kind.countedAs, 1, at: now, connection) <= Self.maximumRowsPerHour else { return }
        } else if let subject = row.subject, !shares.admits(row.kind, of: subject, at: now) {
            return try countLeftOut(row, of: subject, at: now, connection)
        }
        try connection.send(
            """
            INSERT INTO audit_event (id, created_at, event, actor, account_id, client_id, session_handle, flow, reference,
                                     network, cause, detail, address, address_mac)
            VALUES (:id, :now, :event, :actor, :account, :client, :session, :flow, :reference, :network, :cause, :detail,
                    :address, :mac)
            """,
            [
                "id": .blob(try AuditID.next(at: now, randomness)),
                "now": .timestamp(now),
                "event": .text(row.kind.id), "actor": .text(row.actor.text), "account": .optional(row.account),
                "client": .optional(row.client), "session": .optional(row.session), "flow": .optional(row.flow),
                "reference": .optional(row.reference), "network": .optional(row.network),
                "cause": .optional(row.cause), "detail": .optional(row.detail),
                "address": .optional(row.address?.masked), "mac": .optional(row.address?.mac),
            ])
    }

    /// Counts events that visitors have caused in this hour.
    ///
    /// - Returns: how many there are now.
    @discardableResult
    func count(_ event: String, _ number: Int64, at now: Timestamp, _ connection: any SQLConnection) throws -> Int64 {
        let id = AuditID.counter(of: event, in: AuditHour(now))
        return try count(event, nil, id, first: number, further: number, at: now, connection)
    }

    /// Counts an event of an account that gets no row. Rows that count are shown from the number on that has rows.
    private func countLeftOut(
        _ row: Event, of subject: String, at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        let id = AuditID.counter(of: row.kind.id, about: subject, in: AuditHour(now))
        _ = try count(row.kind.id, row, id, first: Self.maximumRowsPerHour + 1, further: 1, at: now, connection)
    }

    /// - Parameter row: the event of an account or a client; nil for those of visitors.
    private func count(
        _ event: String, _ row: Event?, _ id: [UInt8], first: Int64, further: Int64, at now: Timestamp,
        _ connection: any SQLConnection
    ) throws -> Int64 {
        let rows = try connection.query(
            """
            INSERT INTO audit_event (id, created_at, event, actor, account_id, client_id, occurrences)
            VALUES (:id, :now, :event, :actor, :account, :client, :first)
                ON CONFLICT (id) DO UPDATE SET occurrences = audit_event.occurrences + :further,
                                               created_at = excluded.created_at
            RETURNING occurrences
            """,
            [
                "id": .blob(id), "now": .timestamp(now), "event": .text(event),
                "actor": .text((row?.actor ?? .visitor).text), "account": .optional(row?.account),
                "client": .optional(row?.account == nil ? row?.client : nil),
                "first": .integer(first), "further": .integer(further),
            ])
        return try rows.first?.integer("occurrences") ?? first
    }

    /// When an event that is about no account was last recorded.
    package func newest(_ kind: EventKind, since first: Timestamp) async throws -> Timestamp? {
        try await database.read { connection in
            try connection.query(
                """
                SELECT created_at FROM audit_event
                 WHERE id >= :first AND event = :event AND \(AuditSchema.isRare) AND account_id IS NULL
                 ORDER BY id DESC LIMIT 1
                """, ["first": .blob(AuditID.prefix(of: first)), "event": .text(kind.id)]
            ).first?.timestamp("created_at")
        }
    }

    /// Deletes the oldest rows beyond the days that they are kept.
    package func purge(keeping days: Int, limit: Int) async throws -> Int {
        let oldest = clock.now() - .days(days)
        return try await database.write { connection in
            try connection.execute(
                """
                DELETE FROM audit_event WHERE id IN (SELECT id FROM audit_event WHERE id < :oldest ORDER BY id LIMIT :limit)
                """, ["oldest": .blob(AuditID.prefix(of: oldest)), "limit": .integer(Int64(limit))])
        }
    }
}

/// An hour of the clock in UTC.
package struct AuditHour: Sendable, Hashable {
    private static let milliseconds = Duration.hours(1).milliseconds
    let start: Int64

    package init(_ moment: Timestamp) { start = moment.milliseconds - moment.milliseconds % Self.milliseconds }

    /// The last millisecond of the hour.
    var last: Timestamp { Timestamp(milliseconds: start + Self.milliseconds - 1) }
}

/// The ids of rows: six bytes of milliseconds since 1970, the most significant first, four that count the rows of this process,
/// and six random ones. They compare as bytes in both engines, so the rows of one process stay in order within a millisecond.
package enum AuditID {
    private static let rows = Atomic<UInt32>(0)

    static func next(at now: Timestamp, _ randomness: any Randomness) throws -> [UInt8] {
        let number = rows.wrappingAdd(1, ordering: .relaxed).oldValue
        var id = prefix(of: now)
        withUnsafeBytes(of: number.bigEndian) { id += $0 }
        id += try randomness.bytes(6)
        return id
    }

    /// No row of that moment or a later one has a smaller id.
    package static func prefix(of moment: Timestamp) -> [UInt8] {
        let milliseconds = UInt64(max(0, moment.milliseconds))
        var id: [UInt8] = []
        id.reserveCapacity(16)
        withUnsafeBytes(of: milliseconds.bigEndian) { id += $0.dropFirst(2) }
        return id
    }

    /// The row that counts. It comes after every row of its hour, and the same events have the same one in every process.
    ///
    /// - Parameter subject: the account whose events are counted; nil for all.
    static func counter(of event: String, about subject: String? = nil, in hour: AuditHour) -> [UInt8] {
        let name = subject.map { "\(event) \($0)" } ?? event
        return prefix(of: hour.last) + [0xff] + SHA256.hash(Array(name.utf8)).prefix(9)
    }
}
