import SSOWeb
import Synchronization

/// The clients whose last try has failed: they get one try in a second, and at most half of the places, until one succeeds.
///
/// With thousands of messages for a server that is down, each of them would otherwise cost a connection and two transactions as
/// fast as the machine can, at the expense of sign-ins. Servers that accept connections and never answer would hold all places,
/// at the expense of the other clients. Each process has its own, since it only spares work.
final class FailingClients: Sendable {
    static let pause: Duration = .seconds(1)
    /// No message waits for as long.
    private static let kept: Duration = .days(2)
    private let failedAt = Mutex<[String: Timestamp]>([:])

    func note(_ client: String, hasFailedAt now: Timestamp) {
        failedAt.withLock { all in
            all = all.filter { $0.value > now - Self.kept }
            all[client] = now
        }
    }

    func noteSuccess(of client: String) { failedAt.withLock { $0[client] = nil } }

    /// When each of them has failed last.
    var all: [String: Timestamp] { failedAt.withLock { $0 } }

    /// Those that get no try at this moment. A clock that was set back must not keep a client out.
    static func paused(_ failing: [String: Timestamp], at now: Timestamp) -> Set<String> {
        Set(failing.filter { $0.value <= now && now < $0.value + pause }.keys)
    }
}
