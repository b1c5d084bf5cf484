import GRDB

/// Answers the reads that wait: a few at a time on one snapshot, on one of the pool's readers.
///
/// The jobs are taken before the snapshot begins, so each sees every write that was acknowledged before its call.
struct SharedSnapshot: Sendable {
    static let batchLimit = 32

    let queue: JobQueue
    let file: SQLiteFile

    /// Works until nothing waits. Called on a reader's queue.
    func drain(_ db: GRDB.Database) {
        while !queue.retireWorkerIfEmpty() {
            let batch = queue.take(Self.batchLimit)
            do {
                try file.checkUnchanged()
                try db.beginTransaction(.deferred)
            } catch {
                let failure = DatabaseFailure(sqlite: error).asUnavailable
                batch.forEach { $0.fail(failure) }
                continue
            }
            let connection = SQLiteConnection(db)
            for job in batch { _ = job.run(on: connection) }
            // Nothing was changed, so nothing can be lost here; a reader must only not be left in a transaction.
            try? db.rollback()
            batch.forEach { $0.answer() }
        }
    }

    /// Fails what waits, when the pool has no reader to give.
    func fail(_ error: any Error) {
        let failure = DatabaseFailure(sqlite: error).asUnavailable
        while !queue.retireWorkerIfEmpty() { queue.take(Self.batchLimit).forEach { $0.fail(failure) } }
    }
}
