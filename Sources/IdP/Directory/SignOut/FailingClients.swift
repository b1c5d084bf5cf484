import SSOWeb
import Synchronization

/// The clients whose last try has failed: they get one try in a second until one succeeds.
///
/// With thousands of messages for a server that is down, each of them would otherwise cost a connection and two transactions as
/// fast as the machine can, at the expense of sign-ins. Each process has its own, since it only spares work.
final class FailingClients: Sendable {
    static let pause: Duration = .seconds(1)
    private let pausedUntil = Mutex<[String: Timestamp]>([:])

    func note(_ client: String, hasFailedAt now: Timestamp) {
        pausedUntil.withLock { $0[client] = now + Self.pause }
    }

    func noteSuccess(of client: String) { pausedUntil.withLock { $0[client] = nil } }

    /// Those that get no try at this moment.
    func paused(at now: Timestamp) -> Set<String> {
        pausedUntil.withLock { all in
            // A clock that was set back must not keep a client out.
            all = all.filter { $0.value > now && $0.value <= now + Self.pause }
            return Set(all.keys)
        }
    }
}
