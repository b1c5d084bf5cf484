package import Logging
import SSOShared
package import SSOWeb
package import Storage
import Synchronization

/// The audit log as running programs write it: rows in the transaction of what they record, and rows of refusals, which
/// have no transaction.
package final class AuditLog: Sendable {
    package let store: AuditStore
    package let addresses: AuditAddressKeys
    private let waiting: Mutex<WaitingRefusals>
    private let logger: Logger

    package init(store: AuditStore, addresses: AuditAddressKeys, logger: Logger) {
        (self.store, self.addresses, self.logger) = (store, addresses, logger)
        waiting = Mutex(WaitingRefusals(limit: AuditStore.maximumRowsPerHour))
    }

    /// Says that something happens in this transaction, outside a request.
    package func record(_ event: Event, _ connection: any SQLConnection) throws {
        try store.record(event, logger, connection)
    }

    /// Says that something has happened without a transaction, outside a request.
    package func record(_ event: Event) {
        if event.isForAuditLog { note(event) }
        logger.record(event)
    }

    /// Adds a row of a refusal that changes nothing. It is written at once, and the refusal does not wait for it. Rows that
    /// come meanwhile share the next transaction, so a flood costs little, and nothing but a count in memory from the
    /// thousandth row of the hour on. A process that is killed loses what it has not written.
    package func note(_ row: Event) {
        let begins = waiting.withLock { $0.add(row, at: store.clock.now()) }
        guard begins else { return }
        Task { [self] in await writeWaiting() }
    }

    /// Writes what waits, until nothing does. A failure goes to the log, and the rows wait on.
    package func writeWaiting() async {
        do { while try await flush() {} } catch {
            waiting.withLock { $0.isWriting = false }
            logger.record(Event(.auditFailed, cause: "\(error)"))
        }
    }

    /// Writes a part of what waits: the more a database that was away has left, the longer one transaction would last.
    ///
    /// - Returns: whether there was anything.
    @discardableResult package func flush() async throws -> Bool {
        let (rows, counts) = waiting.withLock { $0.take() }
        guard !rows.isEmpty || !counts.isEmpty else { return false }
        do { try await write(rows, counts) } catch let error where Self.isOfOneRow(error) {
            try await writeEach(rows, counts)
        } catch {
            waiting.withLock { $0.putBack(rows, counts) }
            throw error
        }
        return true
    }

    private func write(_ rows: [Event], _ counts: [WaitingRefusals.Key: Int64]) async throws {
        try await store.database.write { [store] connection in
            for row in rows {
                try store.write(row, connection)
                try RefusedAddresses.note(row, at: store.clock.now(), connection)
            }
            for (key, number) in counts {
                try store.count(key.event, number, at: min(store.clock.now(), key.hour.last), connection)
            }
        }
    }

    /// Writes row by row, without those that no database takes: one of them must not keep the others out, nor be tried for ever.
    private func writeEach(_ rows: [Event], _ counts: [WaitingRefusals.Key: Int64]) async throws {
        for (index, row) in rows.enumerated() {
            do { try await write([row], [:]) } catch let error where Self.isOfOneRow(error) {
                logger.record(Event(.auditFailed, cause: "\(row.kind.id): \(error)"))
            } catch {
                waiting.withLock { $0.putBack(Array(rows[index...]), counts) }
                throw error
            }
        }
        do { try await write([], counts) } catch {
            waiting.withLock { $0.putBack([], counts) }
            throw error
        }
    }

    /// Whether the rows themselves are the reason, and not the database.
    private static func isOfOneRow(_ error: any Error) -> Bool {
        switch error as? DatabaseError {
        case .misuse, .conflict: true
        default: false
        }
    }
}

/// Refusals of one process that are not written yet: rows, and counts of those that get no row.
struct WaitingRefusals {
    struct Key: Hashable {
        let event: String
        let hour: AuditHour
    }

    /// Counts are written once in a minute, and rows at once.
    private(set) var rows: [Event] = []
    private static let maximumRows = 20_000
    /// In one transaction: PostgreSQL gives none more than four seconds, and one of all rows would fail again and again.
    static let slice = 200
    private(set) var counts: [Key: Int64] = [:]
    var isWriting = false
    private let limit: Int64
    private var admitted: [Key: Int64] = [:]

    init(limit: Int64) { self.limit = limit }

    /// - Returns: whether the caller is to begin to write.
    mutating func add(_ row: Event, at now: Timestamp) -> Bool {
        let key = Key(event: row.kind.countedAs, hour: AuditHour(now))
        if admitted[key] == nil { admitted = admitted.filter { $0.key.hour == key.hour } }
        let number = admitted[key, default: 0]
        // The database may be away for days.
        guard number < limit, rows.count < Self.maximumRows else {
            counts[key, default: 0] += 1
            return false
        }
        admitted[key] = number + 1
        rows.append(row)
        defer { isWriting = true }
        return !isWriting
    }

    /// Takes the oldest rows, and counts only where there are no rows: one that is written first would take their places.
    mutating func take() -> (rows: [Event], counts: [Key: Int64]) {
        guard rows.isEmpty else {
            defer { rows.removeFirst(min(rows.count, Self.slice)) }
            return (Array(rows.prefix(Self.slice)), [:])
        }
        isWriting = false
        let some = Array(counts.prefix(Self.slice))
        for (key, _) in some { counts[key] = nil }
        return ([], Dictionary(uniqueKeysWithValues: some.map { ($0.key, $0.value) }))
    }

    mutating func putBack(_ rows: [Event], _ counts: [Key: Int64]) {
        self.rows = rows + self.rows
        self.counts.merge(counts, uniquingKeysWith: +)
    }
}
