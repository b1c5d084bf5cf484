import GRDB
import Synchronization

/// Turns the writes that wait into as few commits as possible: a commit costs one fsync, whether it holds one write or 256.
///
/// Owns the transactions of the writer connection. Does not decide what a write means. The rules:
/// - the lock first, then the jobs, so that all that arrived while waiting share the commit;
/// - each body in its own savepoint: one that throws takes back its own changes, not its neighbours';
/// - no caller hears anything before the commit, not even its own error: that may rest on a neighbour's change
///   ("this token is used") which a failed commit takes back;
/// - when the connection itself fails in a body, the whole batch fails, since SQLite may have rolled back already.
struct GroupCommit: Sendable {
    /// Enough for every request that can be in flight on a busy day, few enough to keep the transaction in the page cache.
    static let batchLimit = 256

    let queue: JobQueue
    let busy: BusyWait
    let file: SQLiteFile
    let history = CommitHistory()

    /// Works until nothing waits. Called on the writer's queue.
    func drain(_ db: GRDB.Database) {
        while !queue.retireWorkerIfEmpty() { commitBatch(db) }
    }

    private func commitBatch(_ db: GRDB.Database) {
        guard let oldest = queue.oldestArrival else { return }
        do {
            try file.checkUnchanged()
            // Only a rollback that itself failed can have left one open.
            try db.rollback()
            busy.begin(arrived: oldest)
            try db.beginTransaction(.immediate)
        } catch {
            let failure = DatabaseFailure(sqlite: error).asUnavailable
            // Busy until the oldest caller's time was up: the younger ones still have theirs.
            let failed =
                DatabaseFailure.isBusy(error)
                ? queue.take(arrivedBefore: .now.advanced(by: .zero - busy.patience)) : queue.take(Self.batchLimit)
            failed.forEach { $0.fail(failure) }
            return
        }

        let batch = queue.take(Self.batchLimit)
        let changesBefore = db.totalChangesCount
        do {
            try run(batch, db)
            try db.commit()
            // A commit into a file that nobody will ever open again is none.
            try file.checkUnchanged()
            // One without changes asks nothing of the disk.
            if db.totalChangesCount != changesBefore { history.committed() }
        } catch {
            history.failed()
            try? db.rollback()
            let failure = DatabaseFailure(sqlite: error).asUnavailable
            batch.forEach { $0.fail(failure) }
            return
        }
        batch.forEach { $0.answer() }
    }

    /// Runs every body. Throws only what must fail the whole batch.
    private func run(_ batch: [any PendingJob], _ db: GRDB.Database) throws {
        let connection = SQLiteConnection(db)
        for job in batch {
            try db.cachedStatement(sql: "SAVEPOINT body").execute()
            let returned = job.run(on: connection)
            if let breakdown = connection.breakdown { throw breakdown }
            if !returned { try db.cachedStatement(sql: "ROLLBACK TO body").execute() }
            try db.cachedStatement(sql: "RELEASE body").execute()
        }
    }
}

/// When something was last written for good.
final class CommitHistory: Sendable {
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    func committed() { last.withLock { $0 = .now } }
    func failed() { last.withLock { $0 = nil } }

    /// Whether the last commit went through, within the last second: the disk takes them.
    var isFresh: Bool { last.withLock { last in last.map { ContinuousClock.now - $0 < .seconds(1) } ?? false } }
}

extension DatabaseFailure {
    /// Around a transaction every failure means the same to the caller: not now, and nothing was written.
    var asUnavailable: DatabaseFailure {
        switch self {
        case .unavailable: self
        case .conflict(let words), .misuse(let words), .refused(let words): .unavailable(words)
        }
    }
}
