import SSOWeb
import Synchronization

/// The clients whose messages were left out because too many wait: each is an alarm once in an hour, in each process.
final class FullQueues: Sendable {
    static let pause: Duration = .hours(1)
    /// A row may be committed some time after the moment that it has.
    private static let overlap: Duration = .minutes(2)

    private let state = Mutex((last: Timestamp?.none, alarms: [String: Timestamp]()))

    /// - Returns: since when rows have to be looked at.
    func beginLook(at now: Timestamp) -> Timestamp {
        state.withLock { state in
            // A clock that was set back looks at more.
            let since = min(state.last ?? now, now) - Self.overlap
            state.last = now
            return since
        }
    }

    /// Whether the last alarm of a client was an hour ago.
    func isNews(_ client: String, at now: Timestamp) -> Bool {
        state.withLock { state in
            if let last = state.alarms[client], last <= now, now - last < Self.pause { return false }
            state.alarms[client] = now
            return true
        }
    }
}
