import Synchronization

/// A `read` or `write` that waits for its turn on a connection, and the caller that waits for its answer.
protocol PendingJob: AnyObject, Sendable {
    /// When the caller began to wait.
    var arrived: ContinuousClock.Instant { get }
    /// Runs the body and keeps its outcome. True if it returned, false if it threw.
    func run(on connection: SQLiteConnection) -> Bool
    /// Gives the caller the outcome of `run`. Exactly one of `answer` and `fail` ends a job.
    func answer()
    /// Gives the caller `failure`, whatever the body did.
    func fail(_ failure: DatabaseFailure)
}

/// The one implementation. Unchecked: `outcome` belongs to the one worker that has taken the job out of its ``JobQueue``.
final class Job<T: Sendable>: PendingJob, @unchecked Sendable {
    let arrived = ContinuousClock.now
    private let body: @Sendable (any SQLConnection) throws -> T
    private let caller: CheckedContinuation<T, any Error>
    private var outcome: Result<T, any Error> = .failure(DatabaseFailure.unavailable("the body did not run"))

    init(_ body: @escaping @Sendable (any SQLConnection) throws -> T, caller: CheckedContinuation<T, any Error>) {
        self.body = body
        self.caller = caller
    }

    func run(on connection: SQLiteConnection) -> Bool {
        do {
            outcome = .success(try body(connection))
            return true
        } catch {
            outcome = .failure(error)
            return false
        }
    }

    func answer() { caller.resume(with: outcome) }

    func fail(_ failure: DatabaseFailure) { caller.resume(throwing: failure) }
}
