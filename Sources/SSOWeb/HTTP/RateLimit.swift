import Synchronization

/// Counts events per key over a sliding window, in memory. Slows floods down. Never the only protection of anything.
public final class RateLimit: Sendable {
    private struct Window {
        var start: Timestamp
        var current: Int
        var previous: Int

        /// Moves the window to the span that contains `now`.
        mutating func advance(to now: Timestamp, span: Duration) {
            let age = now - start
            if age < .zero {
                // The clock was ahead and has been corrected. The events count from now on.
                start = now
            } else if age >= span * 2 {
                self = Window(start: now, current: 0, previous: 0)
            } else if age >= span {
                self = Window(start: start + span, current: 0, previous: current)
            }
        }

        /// The number of events within one span before `now`. Events of the previous window count as evenly spread.
        func estimate(at now: Timestamp, span: Duration) -> Double {
            let part = Double((now - start).milliseconds) / Double(span.milliseconds)
            return Double(previous) * (1 - part) + Double(current)
        }
    }

    private let limit: Int
    private let span: Duration
    private let clock: ServiceClock
    private let windows = Mutex<[[UInt8]: Window]>([:])

    /// The maximum number of keys, which bounds memory.
    static let maximumKeys = 20_000
    /// The number of keys kept when the maximum is reached. Far fewer than ``maximumKeys``, so that sorting is rare.
    private static let keysKept = 15_000

    /// - Parameter limit: the number of events that pass within `span`.
    public init(_ limit: Int, per span: Duration, clock: ServiceClock) {
        self.limit = limit
        self.span = span
        self.clock = clock
    }

    /// The number of keys in memory.
    var count: Int { windows.withLock { $0.count } }

    /// The time until another event passes, or nil when one passes now. Does not count.
    public func wait(_ key: [UInt8]) -> Duration? { check(key, counts: false) }

    /// Counts one event. Returns nil when it passes, otherwise the time to wait.
    public func hit(_ key: [UInt8]) -> Duration? { check(key, counts: true) }

    /// Removes one event from the count, because it has proved legitimate.
    public func giveBack(_ key: [UInt8]) {
        windows.withLock { windows in
            guard var window = windows[key] else { return }
            if window.current > 0 { window.current -= 1 } else { window.previous = max(0, window.previous - 1) }
            windows[key] = window
        }
    }

    private func check(_ key: [UInt8], counts: Bool) -> Duration? {
        let now = clock.now()
        return windows.withLock { windows in
            var window = windows[key] ?? Window(start: now, current: 0, previous: 0)
            window.advance(to: now, span: span)
            guard window.estimate(at: now, span: span) < Double(limit) else {
                windows[key] = window
                return (window.start + span) - now
            }
            if counts {
                if windows[key] == nil { makeRoom(&windows, now) }
                window.current += 1
                windows[key] = window
            }
            return nil
        }
    }

    /// Removes expired keys, then the least busy ones, so that a flood of new addresses does not evict keys at their limit.
    private func makeRoom(_ windows: inout [[UInt8]: Window], _ now: Timestamp) {
        guard windows.count >= Self.maximumKeys else { return }
        let stale = now - span * 2
        windows = windows.filter { $0.value.start > stale }
        guard windows.count >= Self.maximumKeys else { return }
        let busiest = windows.map { ($0.key, $0.value, $0.value.estimate(at: now, span: span)) }
            .sorted { $0.2 > $1.2 }.prefix(Self.keysKept)
        windows = Dictionary(busiest.map { ($0.0, $0.1) }) { first, _ in first }
    }
}
