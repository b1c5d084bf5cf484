import Dispatch
import Synchronization

/// A `read` or `write` that waits for the thread of a connection, and the caller that waits for its result.
///
/// Exactly one of `fail` and the answer that `run` returns is called, once.
package struct PendingCall: Sendable {
    package let arrived = ContinuousClock.now
    /// How often the body has run and was rolled back, for engines that run it again.
    package var runs = 0
    /// Runs the body. Returns whether it succeeded, and what gives its result to the caller.
    package let run: @Sendable (any CallConnection) -> (succeeded: Bool, answer: Answer)
    /// Gives the caller an error instead, whatever the body did.
    package let fail: @Sendable (DatabaseError) -> Void

    /// Gives the caller the result. The error is for a commit whose outcome is unknown.
    package typealias Answer = @Sendable (_ unknown: DatabaseError?) -> Void

    package init(
        run: @escaping @Sendable (any CallConnection) -> (succeeded: Bool, answer: Answer),
        fail: @escaping @Sendable (DatabaseError) -> Void
    ) {
        (self.run, self.fail) = (run, fail)
    }

    /// A call of `body` for a caller that waits.
    package init<T: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> T,
        caller: CheckedContinuation<CallResult<T>, any Error>
    ) {
        self.init(
            run: { connection in
                connection.actions = []
                do {
                    let value = try body(connection)
                    let actions = connection.actions
                    return (true, { caller.resume(returning: CallResult(value: value, actions: actions, unknown: $0)) })
                } catch {
                    return (false, { caller.resume(throwing: $0 ?? error) })
                }
            },
            fail: { caller.resume(throwing: $0) })
    }
}

/// The connection of an engine: it keeps what the body that runs on it wants to be done after the commit.
package protocol CallConnection: AnyObject, SQLConnection {
    var actions: [CommitAction] { get set }
}

extension CallConnection {
    package func afterCommit(_ action: @escaping CommitAction) { actions.append(action) }
}

/// The result of a call, for the task that waits for it.
package struct CallResult<T: Sendable>: Sendable {
    let value: T
    let actions: [CommitAction]
    let unknown: DatabaseError?

    /// The value, after what was to be done after the commit.
    package func finished() throws(DatabaseError) -> T {
        for action in actions { action(unknown == nil ? .kept : .unknown) }
        if let unknown { throw unknown }
        return value
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
    /// - Returns: whether a thread slept.
    /// - Throws: `unavailable` when the queue is full or closed. The call is not in the queue then.
    @discardableResult
    package func add(_ call: PendingCall) throws(DatabaseError) -> Bool {
        try state.withLock { state throws(DatabaseError) in
            guard !state.isClosed else { throw .unavailable("the database is closed") }
            guard state.waiting.count < capacity else { throw .unavailable("too many requests wait for the database") }
            state.waiting.append(call)
        }
        return wakeOne()
    }

    /// Puts calls back to the front, in their order: they are to run again.
    package func putBack(_ calls: [PendingCall]) {
        state.withLock { $0.waiting.insert(contentsOf: calls, at: 0) }
    }

    /// Wakes another thread if a call waits, for one that was woken and cannot serve it.
    package func passOn() { if count > 0 { wakeOne() } }

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
