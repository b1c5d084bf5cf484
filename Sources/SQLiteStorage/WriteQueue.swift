import Dispatch
import Storage
import Synchronization

/// A `write` that waits for the writer's thread, and the caller that waits for its result.
///
/// Exactly one of `fail` and the closure that `run` returns is called, once.
struct PendingWrite: Sendable {
    let arrived = ContinuousClock.now
    /// Runs the body. Returns whether it succeeded, and a closure that gives its result to the caller.
    let run: @Sendable (SQLiteConnection) -> (succeeded: Bool, answer: @Sendable () -> Void)
    /// Gives the caller an error instead, whatever the body did.
    let fail: @Sendable (DatabaseError) -> Void
}

extension PendingWrite {
    init<T: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> T, caller: CheckedContinuation<T, any Error>
    ) {
        self.init(
            run: { connection in
                do {
                    let value = try body(connection)
                    return (true, { caller.resume(returning: value) })
                } catch {
                    return (false, { caller.resume(throwing: error) })
                }
            },
            fail: { caller.resume(throwing: $0) })
    }
}

/// The writes that wait, first come, first served, and the signal that wakes the writer's thread.
///
/// Holds at most `capacity` writes, so that a flood cannot fill the memory. Further calls fail immediately.
final class WriteQueue: Sendable {
    private struct State {
        var waiting: [PendingWrite] = []
        var isWriterAsleep = false
        var isClosed = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    init(capacity: Int) { self.capacity = capacity }

    /// How many writes wait.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Appends a write and wakes the writer if it sleeps.
    ///
    /// - Throws: `unavailable` when the queue is full or closed. The write is not in the queue then.
    func add(_ write: PendingWrite) throws(DatabaseError) {
        try state.withLock { state throws(DatabaseError) in
            guard !state.isClosed else { throw .unavailable("the database is closed") }
            guard state.waiting.count < capacity else { throw .unavailable("too many requests wait for the database") }
            state.waiting.append(write)
        }
        wakeWriter()
    }

    /// Blocks the writer's thread until a write waits. False when the queue is closed and empty: the thread must end.
    func waitForWork() -> Bool {
        while true {
            let hasWork: Bool? = state.withLock { state in
                guard state.waiting.isEmpty else { return true }
                guard !state.isClosed else { return false }
                state.isWriterAsleep = true
                return nil
            }
            if let hasWork { return hasWork }
            wakeUp.wait()
        }
    }

    /// Takes up to `limit` writes out of the queue, oldest first, and only those that arrived before `instant`.
    func take(_ limit: Int = .max, arrivedBefore instant: ContinuousClock.Instant? = nil) -> [PendingWrite] {
        state.withLock { state in
            let taken = state.waiting.prefix(limit).prefix { write in instant.map { write.arrived < $0 } ?? true }
            state.waiting.removeFirst(taken.count)
            return Array(taken)
        }
    }

    /// Refuses new writes from now on. The writer's thread finishes what waits and then ends.
    func close() {
        state.withLock { $0.isClosed = true }
        wakeWriter()
    }

    private func wakeWriter() {
        let isAsleep = state.withLock { state in
            defer { state.isWriterAsleep = false }
            return state.isWriterAsleep
        }
        if isAsleep { wakeUp.signal() }
    }
}
