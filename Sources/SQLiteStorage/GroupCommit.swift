import CSQLite
import Dispatch
import Foundation
import Storage
import Synchronization

/// Turns the writes that wait into as few commits as possible: a commit costs one fsync, whether it holds one write or 256.
///
/// Owns the transactions of the writer connection. The rules:
/// - It takes the lock first, then the writes, so that all that arrived in the meantime share the commit.
/// - The bodies of a batch run without savepoints, which copy each page that they change. When a body throws, the transaction is
///   rolled back and all of them run again (`Database` permits it), each in its own savepoint: a body that throws loses its own
///   changes, not those of others.
/// - No caller gets a result before the commit, not even its own error. An error may depend on another body's change
///   ("this token is used"), and a failed commit takes that change back.
/// - When the connection itself fails in a body, the whole batch fails: SQLite may have rolled back everything.
final class GroupCommit: Sendable {
    /// Enough for all requests in flight under load, and few enough to keep the transaction in the page cache.
    static let batchLimit = 256

    let queue: CallQueue
    private let patience: Duration
    private let file: SQLiteFile
    private let running = DispatchGroup()
    private let lastCommit = Mutex<ContinuousClock.Instant?>(nil)
    let count = CommitCount()

    /// - Parameter patience: how long a transaction waits for a lock that another process holds.
    init(queue: CallQueue, patience: Duration, file: SQLiteFile) {
        (self.queue, self.patience, self.file) = (queue, patience, file)
    }

    /// Whether a commit has succeeded within the last second, so that another one would prove nothing about the disk.
    var hasCommittedRecently: Bool {
        lastCommit.withLock { last in last.map { ContinuousClock.now - $0 < .seconds(1) } ?? false }
    }

    /// Starts the thread that writes. It uses the connection until the queue is closed and empty: waking one thread
    /// costs less than scheduling work on a dispatch queue for every batch.
    func start(on writer: SQLiteHandle) {
        running.enter()
        let thread = Thread { [self] in
            while queue.waitForWork() { commitBatch(writer) }
            running.leave()
        }
        thread.name = "database-writer"
        thread.start()
    }

    /// Refuses new writes, finishes those that wait, and returns when the thread has left the connection.
    func stop() async {
        queue.close()
        await withCheckedContinuation { caller in running.notify(queue: .global()) { caller.resume() } }
    }

    private func commitBatch(_ writer: SQLiteHandle) {
        let connection = SQLiteConnection(writer)
        guard begin(writer, connection) else { return }
        let batch = queue.take(Self.batchLimit)
        let changesBefore = writer.totalChanges
        do {
            let answers: [PendingCall.Answer]
            switch try together(batch, connection) {
            case .succeeded(let all): answers = all
            case .failed(let answer):
                try writer.rollBack()
                if batch.count == 1 { return answer(nil) }
                try connection.execute("BEGIN IMMEDIATE")
                answers = try batch.map { try apart($0, connection) }
            }
            let start = ContinuousClock.now
            try connection.execute("COMMIT")
            // A commit without changes does not touch the disk.
            if writer.totalChanges != changesBefore {
                lastCommit.withLock { $0 = .now }
                count.add(writes: answers.count, since: start)
            }
            answers.forEach { $0(nil) }
        } catch {
            lastCommit.withLock { $0 = nil }
            try? writer.rollBack()
            let failure = DatabaseError(error).asUnavailable
            batch.forEach { $0.fail(failure) }
        }
    }

    /// Takes the lock.
    ///
    /// - Returns: false where that failed, and so have the writes that do not wait for it again.
    private func begin(_ writer: SQLiteHandle, _ connection: SQLiteConnection) -> Bool {
        do {
            try file.checkUnchanged()
            // A transaction is still open only when its rollback failed.
            try writer.rollBack()
            try connection.execute("BEGIN IMMEDIATE")
            return true
        } catch {
            let failure = DatabaseError(error).asUnavailable
            // A lock is worth another try for the writes that have not waited long enough.
            let failed =
                connection.failureCode == SQLITE_BUSY
                ? queue.take(arrivedBefore: .now - patience) : queue.take(Self.batchLimit)
            failed.forEach { $0.fail(failure) }
            return false
        }
    }

    private enum Outcome {
        case succeeded([PendingCall.Answer])
        /// One body has thrown. Nothing of any may be kept.
        case failed(PendingCall.Answer)
    }

    /// Runs the bodies one after the other, up to the first that throws.
    ///
    /// - Throws: what must fail the whole batch.
    private func together(_ batch: [PendingCall], _ connection: SQLiteConnection) throws -> Outcome {
        var answers: [PendingCall.Answer] = []
        answers.reserveCapacity(batch.count)
        for write in batch {
            let (succeeded, answer) = write.run(connection)
            if let failure = connection.failure { throw failure }
            guard succeeded else { return .failed(answer) }
            answers.append(answer)
        }
        return .succeeded(answers)
    }

    /// Runs one body in its savepoint and returns the closure that gives its caller the result.
    ///
    /// - Throws: what must fail the whole batch.
    private func apart(_ write: PendingCall, _ connection: SQLiteConnection) throws -> PendingCall.Answer {
        try connection.execute("SAVEPOINT body")
        let (succeeded, answer) = write.run(connection)
        if let failure = connection.failure { throw failure }
        if !succeeded { try connection.execute("ROLLBACK TO body") }
        try connection.execute("RELEASE body")
        return answer
    }
}
