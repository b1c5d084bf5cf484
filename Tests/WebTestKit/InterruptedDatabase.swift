import SSOWeb
import Synchronization

@testable import Storage

/// Lets a test act in the middle of a request, at the moment when the request reads certain rows: what another request does
/// then.
final class Interruption: Sendable {
    fileprivate struct Read: Sendable {
        let part: String
        let act: @Sendable () async throws -> Void
    }

    fileprivate struct Write: Sendable {
        let part: String
        let act: @Sendable () -> Void
    }

    private let read = Mutex<Read?>(nil)
    private let write = Mutex<Write?>(nil)
    private let decision = Mutex<Read?>(nil)
    private let decided = Mutex<Read?>(nil)

    func wrapping(_ real: any Database) -> any Database { InterruptedDatabase(real: real, interruption: self) }

    /// Acts once: after the next `read` with a query that contains `part`, before its caller has the rows.
    func afterRead(of part: String, _ act: @escaping @Sendable () async throws -> Void) {
        read.withLock { $0 = Read(part: part, act: act) }
    }

    /// Acts once: after the next `readAtOnce` with a query that contains `part`, before the `write` that rests on it.
    func afterDecision(by part: String, _ act: @escaping @Sendable () async throws -> Void) {
        decision.withLock { $0 = Read(part: part, act: act) }
    }

    /// Whether the act of ``afterDecision(by:_:)`` has not begun.
    var isWaiting: Bool { decision.withLock { $0 != nil } || decided.withLock { $0 != nil } }

    /// Acts once: in the next `write` with a query that contains `part`, right after that query.
    func inWrite(after part: String, _ act: @escaping @Sendable () -> Void) {
        write.withLock { $0 = Write(part: part, act: act) }
    }

    fileprivate func takeRead(with queries: [String]) -> Read? {
        read.withLock { waiting in
            guard let next = waiting, queries.contains(where: { $0.contains(next.part) }) else { return nil }
            waiting = nil
            return next
        }
    }

    fileprivate var waitsForRead: Bool { read.withLock { $0 != nil } }

    fileprivate func note(decision queries: [String]) {
        let next = decision.withLock { waiting -> Read? in
            guard let next = waiting, queries.contains(where: { $0.contains(next.part) }) else { return nil }
            waiting = nil
            return next
        }
        if let next { decided.withLock { $0 = next } }
    }

    fileprivate func takeDecided() -> Read? {
        decided.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
    }

    fileprivate func takeWrite(after query: String) -> Write? {
        write.withLock { waiting in
            guard let next = waiting, query.contains(next.part) else { return nil }
            waiting = nil
            return next
        }
    }
}

private struct InterruptedDatabase: Database {
    let real: any Database
    let interruption: Interruption

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let queries = Queries()
        let result = try await real.read { real in
            try body(Connection(real: real, queried: { queries.add($0) }))
        }
        if let next = interruption.takeRead(with: queries.all) { try await next.act() }
        return result
    }

    func readAtOnce<T>(_ body: (any SQLConnection) throws -> T?) throws -> T? {
        // What waits for a read of its own gets one.
        guard !interruption.waitsForRead else { return nil }
        let queries = Queries()
        let result = try real.readAtOnce { try body(Connection(real: $0, queried: { queries.add($0) })) }
        if result != nil { interruption.note(decision: queries.all) }
        return result
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        if let next = interruption.takeDecided() { try await next.act() }
        return try await real.write { [interruption] real in
            try body(Connection(real: real, queried: { interruption.takeWrite(after: $0)?.act() }))
        }
    }

    func checkReady() async throws(DatabaseError) { try await real.checkReady() }
    func close() async { await real.close() }

    private final class Queries: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private struct Connection: SQLConnection {
        let real: any SQLConnection
        let queried: @Sendable (String) -> Void

        func afterCommit(_ action: @escaping CommitAction) { real.afterCommit(action) }

        func query(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> [SQLRow] {
            let rows = try real.query(sql, values)
            queried(sql)
            return rows
        }

        func forEachRow(_ sql: String, _ values: SQLArguments, _ body: (any SQLColumns) throws -> Void) throws {
            try real.forEachRow(sql, values, body)
            queried(sql)
        }

        func execute(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> Int {
            try real.execute(sql, values)
        }
    }
}
