import Synchronization

/// Counts events per key over a sliding window, in memory: a brake on floods, never the only guard of anything.
public final class RateLimit: Sendable {
    private struct Window {
        var start: Timestamp
        var current: Int
        var previous: Int
    }

    private let limit: Int
    private let span: Duration
    private let clock: ServiceClock
    private let windows = Mutex<[[UInt8]: Window]>([:])

    /// More keys than this are forgotten at once: memory stays bounded whatever addresses come.
    static let maximumKeys = 20_000

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

    private func weigh(_ key: [UInt8], counts: Bool) -> Duration? {
        let now = clock.now()
        return windows.withLock { windows in
            if windows.count >= Self.maximumKeys {
                let stale = now - span * 2
                windows = windows.filter { $0.value.start > stale }
                if windows.count >= Self.maximumKeys { windows.removeAll() }
            }
            var window = windows[key] ?? Window(start: now, current: 0, previous: 0)
            let age = now - window.start
            if age >= span * 2 {
                window = Window(start: now, current: 0, previous: 0)
            } else if age >= span {
                window = Window(start: window.start + span, current: 0, previous: window.current)
            }
            let part = Double((now - window.start).milliseconds) / Double(span.milliseconds)
            let estimate = Double(window.previous) * (1 - part) + Double(window.current)
            guard estimate < Double(limit) else {
                windows[key] = window
                return (window.start + span) - now
            }
            if counts {
                window.current += 1
                windows[key] = window
            }
            return nil
        }
    }
}
