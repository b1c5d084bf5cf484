import Synchronization

/// Reads at most once in an interval, for any number of callers that wait. Each gets a reading that begins after its call.
///
/// A caller that waits holds a connection, so few may. The others go on with the last reading: while many call, it is one
/// interval old.
final class PacedReading: Sendable {
    /// How many callers wait at the same time.
    static let maximumWaiting = 64
    /// How old a reading may be for a caller that has had its share of new ones.
    static let patience: Duration = .seconds(1)

    private let interval: Duration
    private let state = Mutex(State())

    private struct State {
        /// The reading that has not begun yet: later callers share it.
        var next: Task<Void, Never>?
        var begun: ContinuousClock.Instant?
        /// When the last reading that has ended had begun.
        var known: ContinuousClock.Instant?
        var waiting = 0
    }

    init(every interval: Duration) { self.interval = interval }

    /// Returns at once if too many wait already.
    ///
    /// - Parameter needsNew: false where the last reading will do if it is younger than ``patience``.
    func wait(needsNew: Bool = true, for read: @escaping @Sendable () async -> Void) async {
        guard let task = state.withLock({ join(&$0, needsNew, read) }) else { return }
        await task.value
        state.withLock { $0.waiting -= 1 }
    }

    private func join(
        _ state: inout State, _ needsNew: Bool, _ read: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never>? {
        if !needsNew, let known = state.known, .now - known < Self.patience { return nil }
        guard state.waiting < Self.maximumWaiting else { return nil }
        state.waiting += 1
        if let next = state.next { return next }
        let due = state.begun.map { $0 + interval }
        let task = Task { [self] in
            if let due, due > .now { try? await Task.sleep(until: due, clock: .continuous) }
            let begun = begin()
            await read()
            // A slower reading that began before it has nothing newer to say.
            self.state.withLock { $0.known = max($0.known ?? begun, begun) }
        }
        state.next = task
        return task
    }

    private func begin() -> ContinuousClock.Instant {
        state.withLock { state in
            let now = ContinuousClock.now
            (state.next, state.begun) = (nil, now)
            return now
        }
    }
}
