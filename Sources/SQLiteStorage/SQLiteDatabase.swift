public import Storage
import Synchronization

/// ``Database`` in one SQLite file on a local disk: WAL, `synchronous=FULL`, one writer that groups commits, readers beside it.
///
/// Several processes may share the file. No call blocks its thread: the writer and each reader have a thread of their own.
public final class SQLiteDatabase: CountingDatabase {
    /// More reads, and more writes, than can be in flight on the connections that a server accepts. Further calls fail
    /// immediately.
    static let waitingLimit = 4_096

    /// How long a write waits for a lock that another process holds. Longer than any healthy transaction. Less than half
    /// of the five seconds that a relying party waits for an answer, so that it receives our 503: a write that arrives during
    /// another's wait may wait twice.
    public static let patience = Duration.seconds(2)

    private let writer: SQLiteHandle
    private let readers: SQLiteReaders
    private let migrator: Migrator
    private let commits: GroupCommit
    private let file: SQLiteFile
    private let reads = Mutex<(count: Int, isClosed: Bool)>((0, false))

    /// Opens the database at `path`. Creates the file and its folder if there is none, and applies the missing migrations.
    ///
    /// - Parameter patience: how long a write waits for a lock that another process holds.
    /// - Throws: ``DatabaseError/refused(_:)`` for a file that is newer, not ours, damaged, read-only or not a database.
    public init(path: String, migrations: [Migration], patience: Duration = SQLiteDatabase.patience)
        async throws(DatabaseError)
    {
        file = SQLiteFile(path: path)
        migrator = Migrator(migrations: migrations)
        let opening = SQLiteOpening(file: file, migrator: migrator, patience: patience)
        writer = try await BlockingWork.run { () throws(DatabaseError) in try opening.open() }
        readers = SQLiteReaders(capacity: Self.waitingLimit, opening, besides: writer)
        commits = GroupCommit(queue: CallQueue(capacity: Self.waitingLimit), patience: patience, file: file)
        commits.start(on: writer)
    }

    deinit {
        commits.queue.close()
        readers.close()
    }

    /// How many writes wait for the writer or for a lock.
    var waitingWrites: Int { commits.queue.count }

    public var numbers: DatabaseNumbers {
        DatabaseNumbers(
            commits: commits.count.commits, writes: commits.count.writes, time: commits.count.time,
            waitingWrites: waitingWrites, waitingReads: reads.withLock { $0.count })
    }

    public func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try reads.withLock { reads throws(DatabaseError) in
            guard !reads.isClosed else { throw .unavailable("the database is closed") }
            guard reads.count < Self.waitingLimit else {
                throw .unavailable("too many requests wait for the database")
            }
            reads.count += 1
        }
        defer { reads.withLock { $0.count -= 1 } }
        return try await withCheckedThrowingContinuation { caller in
            let call = PendingCall(
                run: { connection in
                    let result = Result { try body(connection) }
                    return (true, { _ in caller.resume(with: result) })
                }, fail: { caller.resume(throwing: $0) })
            do throws(DatabaseError) { try readers.add(call) } catch { call.fail(error) }
        }
    }

    public func readAtOnce<T>(_ body: (any SQLConnection) throws -> T?) throws -> T? {
        try readers.readAtOnce(body)
    }

    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { caller in
            let write = PendingCall(body, caller: caller)
            do throws(DatabaseError) { try commits.queue.add(write) } catch { write.fail(error) }
        }.finished()
    }

    public func checkReady() async throws(DatabaseError) {
        do {
            try file.checkUnchanged(maximumAge: .zero)
            // Reading works on a full disk and beside a lock, but a sign-in needs a commit. So this makes one that changes
            // nothing. After a recent commit the lock is enough: probes in quick succession do not cost the disk anything.
            let misfit = try await write { [migrator, commits] connection in
                let misfit = migrator.misfit(applied: try SQLiteOpening.applied(migrator, connection))
                if !commits.hasCommittedRecently {
                    try connection.execute(Migrator.emptyChange)
                }
                return misfit
            }
            // A newer process beside this one may have added steps, or an older file was put in place.
            if let misfit { throw DatabaseError.schema(step: misfit) }
        } catch {
            throw DatabaseError(error)
        }
    }

    public func close() async {
        reads.withLock { $0.isClosed = true }
        await commits.stop()
        // Waits for the reads. The writer comes last: the last connection moves the log into the file and deletes it, and a
        // read-only one cannot.
        await readers.stop()
        try? await BlockingWork.run { [writer] () throws(DatabaseError) in writer.close() }
    }
}
