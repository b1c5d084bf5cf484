import Dispatch
import Foundation
import GRDB
import Synchronization

/// Whether the opened file is a sound database, as far as that can be told in a tenth of a second.
///
/// A complete `PRAGMA integrity_check` or `quick_check` reads every page: seconds for a million rows, and the start waits. So:
/// - SQLite's own first read refuses what is no database, and a file shorter than its header says;
/// - the first and the last row of every table are read, down both edges of each tree: a file cut off or overwritten ends there;
/// - `quick_check` runs for at most ``budget``: all of a database of some tens of megabytes, the first part of a larger one.
/// What is damaged beyond that shows at run time as `SQLITE_CORRUPT`, and is answered with 503.
struct SQLiteSoundness {
    /// A tenth of a second, a third of what a start may take.
    static let budget = DispatchTimeInterval.milliseconds(100)

    let reader: any DatabaseReader

    /// - Throws: an error of SQLite, or `unavailable` with the first fault that `quick_check` names.
    func check() throws {
        try reader.unsafeRead { db in
            for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'") {
                let name = "\"" + table.replacingOccurrences(of: "\"", with: "\"\"") + "\""
                _ = try Row.fetchOne(db, sql: "SELECT * FROM \(name) LIMIT 1")
                do {
                    _ = try Row.fetchOne(db, sql: "SELECT * FROM \(name) ORDER BY rowid DESC LIMIT 1")
                } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                    // A table WITHOUT ROWID: its last row cannot be named without knowing its key.
                }
            }
            try quickCheck(db)
        }
    }

    private func quickCheck(_ db: GRDB.Database) throws {
        let alarm = Alarm(reader)
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.budget) { alarm.ring() }
        defer { alarm.disarm() }
        do {
            guard let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)"), verdict != "ok" else { return }
            // Interrupted checks end as an error or as a row that says so, depending on SQLite's version.
            if !alarm.hasRung { throw DatabaseFailure.unavailable(verdict.replacingOccurrences(of: "\n", with: " ")) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            // Out of time with nothing found.
        }
    }

    /// Interrupts the check once, and never the statement after it: ring and disarm exclude each other.
    private final class Alarm: Sendable {
        private enum State { case armed, rung, disarmed }

        private let state = Mutex(State.armed)
        private let reader: any DatabaseReader

        init(_ reader: any DatabaseReader) { self.reader = reader }

        var hasRung: Bool { state.withLock { $0 == .rung } }

        func ring() {
            state.withLock { state in
                guard state == .armed else { return }
                state = .rung
                reader.interrupt()
            }
        }

        func disarm() { state.withLock { if $0 == .armed { $0 = .disarmed } } }
    }
}
