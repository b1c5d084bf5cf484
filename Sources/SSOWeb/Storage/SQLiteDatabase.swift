import Dispatch
import GRDB
import Synchronization

/// ``Database`` on one SQLite file of a local disk: WAL, `synchronous=FULL`, one writer that gathers writes, readers beside it.
///
/// Several processes may share the file. Nothing here blocks the thread of a caller: all waiting, for the disk and for locks, happens on
/// the queues of the pool.
public final class SQLiteDatabase: Database {
    /// More than can be in flight over the connections a server accepts; what comes beyond is told at once.
    static let waitingLimit = 4_096

    /// How long a write waits for a lock that another process holds: longer than any healthy transaction, and short enough
    /// that a partner, who gives up after five seconds, still hears the 503.
    public static let patience = Duration.seconds(2)

    private let pool: DatabasePool
    private let migrator: Migrator
    private let commits: GroupCommit
    private let snapshots: SharedSnapshot

    /// Opens the database at `path`, making it and its folder if there is none, and applies the migrations it lacks.
    ///
    /// - Parameter patience: how long a write waits for a lock that another process holds.
    /// - Throws: ``DatabaseFailure/refused(_:)`` for a database that is newer, not ours, damaged, read-only or none at all.
    public init(path: String, migrations: [Migration], patience: Duration = SQLiteDatabase.patience)
        async throws(DatabaseFailure)
    {
        let file = SQLiteFile(path: path)
        let busy = BusyWait(patience: patience)
        migrator = Migrator(migrations: migrations)
        let opening = SQLiteOpening(file: file, migrator: migrator, busy: busy)
        pool = try await Self.offPool { () throws(DatabaseFailure) in try opening.open() }
        let writes = JobQueue(capacity: Self.waitingLimit, maximumWorkers: 1)
        let reads = JobQueue(capacity: Self.waitingLimit, maximumWorkers: SQLiteOpening.readers)
        commits = GroupCommit(queue: writes, busy: busy, file: file)
        snapshots = SharedSnapshot(queue: reads, file: file)
    }

    /// How many writes wait for their turn, or for a lock.
    var waitingWrites: Int { commits.queue.count }

    public func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { caller in
            let job = Job(body, caller: caller)
            enqueue(job, in: snapshots.queue) { [pool, snapshots] in
                pool.asyncUnsafeRead { reader in
                    switch reader {
                    case .success(let db): snapshots.drain(db)
                    case .failure(let error): snapshots.fail(error)
                    }
                }
            }
        }
    }

    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { caller in
            let job = Job(body, caller: caller)
            enqueue(job, in: commits.queue) { [pool, commits] in
                pool.asyncWriteWithoutTransaction { db in commits.drain(db) }
            }
        }
    }

    public func checkReady() async throws(DatabaseFailure) {
        do {
            let (migrator, history) = (migrator, commits.history)
            // Reading works on a full disk and beside a lock; what a sign-in needs is a commit. So one is made, of nothing new,
            // unless one has just gone through: then the writer's lock is enough, and probes in a row cost the disk nothing.
            let plan = try await write { connection in
                let plan = migrator.plan(applied: try migrator.applied(connection))
                if !history.isFresh {
                    try connection.execute("UPDATE schema_migration SET name = name WHERE position = 1")
                }
                return plan
            }
            switch plan {
            // A newer version beside us has added its steps: ours are all there, and steps only ever add.
            case .nothing, .newer: break
            case .apply, .foreign: throw DatabaseFailure.unavailable("the schema is not this version's")
            }
        } catch {
            throw DatabaseFailure(sqlite: error)
        }
    }

    public func close() async {
        await commits.queue.closeAndWait()
        await snapshots.queue.closeAndWait()
        let pool = pool
        // The last connection folds the log back into the file and removes it, and a read-only one cannot: the writer goes last.
        // A failure leaves the log to the next start.
        try? await Self.offPool { () throws(DatabaseFailure) in
            pool.invalidateReadOnlyConnections()
            try? pool.close()
        }
    }

    private func enqueue(_ job: any PendingJob, in queue: JobQueue, startWorker: () -> Void) {
        do {
            if try queue.add(job) { startWorker() }
        } catch {
            job.fail(error)
        }
    }

    /// Runs blocking work on a thread of Dispatch, not on one of the few that run all tasks.
    static func offPool<T: Sendable>(
        _ work: @escaping @Sendable () throws(DatabaseFailure) -> T
    ) async throws(DatabaseFailure) -> T {
        let result: Result<T, DatabaseFailure> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(DatabaseFailure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
