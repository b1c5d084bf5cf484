import Synchronization

/// Counts events per key over a sliding window, in memory: a brake on floods, never the only guard of anything.
public final class RateLimit: Sendable {
    private struct Window {
        var start: Timestamp
        var current: Int
        var previous: Int

        /// Moves to the span that `now` lies in.
        mutating func advance(to now: Timestamp, span: Duration) {
            let age = now - start
            if age < .zero {
                // The clock was ahead and is right again: what was counted counts from now on.
                start = now
            } else if age >= span * 2 {
                self = Window(start: now, current: 0, previous: 0)
            } else if age >= span {
                self = Window(start: start + span, current: 0, previous: current)
            }
        }

        /// How many events the span before `now` holds, with those of the span before spread evenly.
        func estimate(at now: Timestamp, span: Duration) -> Double {
            let part = Double((now - start).milliseconds) / Double(span.milliseconds)
            return Double(previous) * (1 - part) + Double(current)
        }
    }

    private let limit: Int
    private let span: Duration
    private let clock: ServiceClock
    private let windows = Mutex<[[UInt8]: Window]>([:])

    /// At most this many keys are remembered, so memory stays bounded whatever addresses come.
    static let maximumKeys = 20_000
    /// How many keys stay when there is no room. Far fewer than ``maximumKeys``: sorting them is rare then.
    private static let keysKept = 15_000

    /// - Parameters:
    ///   - limit: how many events within `span` pass.
    public init(_ limit: Int, per span: Duration, clock: ServiceClock) {
        self.limit = limit
        self.span = span
        self.clock = clock
    }

    /// How many keys are remembered.
    var count: Int { windows.withLock { $0.count } }

    /// How long to wait until another event would pass, nil for now. Counts nothing.
    public func wait(_ key: [UInt8]) -> Duration? { weigh(key, counts: false) }

    /// Counts one event. Returns nil if it passes, else how long to wait.
    public func hit(_ key: [UInt8]) -> Duration? { weigh(key, counts: true) }

    /// Takes one counted event back: what it was for has turned out to be legitimate.
    public func giveBack(_ key: [UInt8]) {
        windows.withLock { windows in
            guard var window = windows[key] else { return }
            if window.current > 0 { window.current -= 1 } else { window.previous = max(0, window.previous - 1) }
            windows[key] = window
        }
    }

    private func weigh(_ key: [UInt8], counts: Bool) -> Duration? {
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

    /// Forgets what has aged out, and then the least busy keys: a flood of new addresses must not wash away the counts
    /// of those that have reached the limit.
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
