import Dispatch
import Synchronization

/// A `read` or `write` that waits for the thread of a connection, and the caller that waits for its result.
///
/// Exactly one of `fail` and the closure that `run` returns is called, once.
package struct PendingCall: Sendable {
    package let arrived = ContinuousClock.now
    /// How often the body has run and was rolled back, for engines that run it again.
    package var runs = 0
    /// Runs the body. Returns whether it succeeded, and a closure that gives its result to the caller.
    package let run: @Sendable (any SQLConnection) -> (succeeded: Bool, answer: @Sendable () -> Void)
    /// Gives the caller an error instead, whatever the body did.
    package let fail: @Sendable (DatabaseError) -> Void

    package init(
        run: @escaping @Sendable (any SQLConnection) -> (succeeded: Bool, answer: @Sendable () -> Void),
        fail: @escaping @Sendable (DatabaseError) -> Void
    ) {
        (self.run, self.fail) = (run, fail)
    }

    /// A call of `body` for a caller that waits.
    package init<T: Sendable>(
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

/// The calls that wait, first come, first served, and the signal that wakes a thread for them.
///
/// Holds at most `capacity` calls, so that a flood cannot fill the memory. Further calls fail immediately.
package final class CallQueue: Sendable {
    private struct State {
        var waiting: [PendingCall] = []
        var sleeping = 0
        var isClosed = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    package init(capacity: Int) { self.capacity = capacity }

    /// How many calls wait.
    package var count: Int { state.withLock { $0.waiting.count } }

    /// Appends a call and wakes a thread that sleeps.
    ///
    /// - Throws: `unavailable` when the queue is full or closed. The call is not in the queue then.
    package func add(_ call: PendingCall) throws(DatabaseError) {
        try state.withLock { state throws(DatabaseError) in
            guard !state.isClosed else { throw .unavailable("the database is closed") }
            guard state.waiting.count < capacity else { throw .unavailable("too many requests wait for the database") }
            state.waiting.append(call)
        }
        wakeOne()
    }

    /// Puts calls back to the front, in their order: they are to run again.
    package func putBack(_ calls: [PendingCall]) {
        state.withLock { $0.waiting.insert(contentsOf: calls, at: 0) }
    }

    /// Blocks the thread until a call waits. False when the queue is closed and empty: the thread must end.
    package func waitForWork() -> Bool {
        while true {
            let hasWork: Bool? = state.withLock { state in
                guard state.waiting.isEmpty else { return true }
                guard !state.isClosed else { return false }
                state.sleeping += 1
                return nil
            }
            if let hasWork { return hasWork }
            wakeUp.wait()
        }
    }

    /// Takes up to `limit` calls out of the queue, oldest first, and only those that arrived before `instant`.
    package func take(_ limit: Int = .max, arrivedBefore instant: ContinuousClock.Instant? = nil) -> [PendingCall] {
        state.withLock { state in
            let taken = state.waiting.prefix(limit).prefix { call in instant.map { call.arrived < $0 } ?? true }
            state.waiting.removeFirst(taken.count)
            return Array(taken)
        }
    }

    /// Refuses new calls from now on. The threads finish what waits and then end.
    package func close() {
        state.withLock { $0.isClosed = true }
        while wakeOne() {}
    }

    /// Returns whether a thread slept.
    @discardableResult
    private func wakeOne() -> Bool {
        let isAsleep = state.withLock { state in
            guard state.sleeping > 0 else { return false }
            state.sleeping -= 1
            return true
        }
        if isAsleep { wakeUp.signal() }
        return isAsleep
    }
}
