import Synchronization

/// Reads at most once in an interval, for any number of callers that wait. Each gets a reading that begins after its call.
final class PacedReading: Sendable {
    private let interval: Duration
    private let state = Mutex(State())

    private struct State {
        /// The reading that has not begun yet: later callers share it.
        var next: Task<Void, Never>?
        var begun: ContinuousClock.Instant?
    }

    init(every interval: Duration) { self.interval = interval }

    func wait(for read: @escaping @Sendable () async -> Void) async {
        let task = state.withLock { state in
            if let next = state.next { return next }
            let due = state.begun.map { $0 + interval }
            let task = Task { [self] in
                if let due, due > .now { try? await Task.sleep(until: due, clock: .continuous) }
                begin()
                await read()
            }
            state.next = task
            return task
        }
        await task.value
    }

    private func begin() {
        state.withLock { $0 = State(next: nil, begun: .now) }
    }
}
