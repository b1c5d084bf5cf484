import Synchronization

/// The jobs that wait for a connection: first come, first served, and never more than `capacity`.
///
/// A flood then costs the flood its answers, not the process its memory. Workers are counted, not threads: a worker is one
/// scheduled drain that takes jobs until none is left.
final class JobQueue: Sendable {
    private struct State {
        var waiting: [any PendingJob] = []
        var workers = 0
        var isClosed = false
        var whenIdle: [CheckedContinuation<Void, Never>] = []
    }

    private let capacity: Int
    private let maximumWorkers: Int
    private let state = Mutex(State())

    init(capacity: Int, maximumWorkers: Int) {
        self.capacity = capacity
        self.maximumWorkers = maximumWorkers
    }

    /// Appends `job`. True if the caller must now start a worker.
    ///
    /// - Throws: `unavailable` when full or closed. The job is then not in the queue.
    func add(_ job: any PendingJob) throws(DatabaseFailure) -> Bool {
        try state.withLock { state throws(DatabaseFailure) in
            guard !state.isClosed else { throw .unavailable("the database is closed") }
            guard state.waiting.count < capacity else { throw .unavailable("too many requests wait for the database") }
            state.waiting.append(job)
            guard state.workers < maximumWorkers else { return false }
            state.workers += 1
            return true
        }
    }

    /// How many jobs wait.
    var count: Int { state.withLock { $0.waiting.count } }

    /// The arrival of the job that has waited longest.
    var oldestArrival: ContinuousClock.Instant? { state.withLock { $0.waiting.first?.arrived } }

    /// Takes up to `limit` jobs out of the queue, oldest first.
    func take(_ limit: Int) -> [any PendingJob] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(limit))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    /// Takes out every job that arrived before `instant`.
    func take(arrivedBefore instant: ContinuousClock.Instant) -> [any PendingJob] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix { $0.arrived < instant })
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    /// Ends a worker if nothing waits. False: go on. Atomic with `add`, or a job could be left with no worker.
    func retireWorkerIfEmpty() -> Bool {
        let idle: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            guard state.waiting.isEmpty else { return nil }
            state.workers -= 1
            guard state.workers == 0 else { return [] }
            defer { state.whenIdle = [] }
            return state.whenIdle
        }
        idle?.forEach { $0.resume() }
        return idle != nil
    }

    /// Refuses new jobs from now on and returns when the last worker has retired.
    func closeAndWait() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isClosed = true
                guard state.workers > 0 else { return true }
                state.whenIdle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }
}
