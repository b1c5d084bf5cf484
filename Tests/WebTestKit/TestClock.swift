import SSOWeb
import Synchronization

/// A clock that stands still until the test moves it.
final class TestClock: Sendable {
    /// 2026-11-21T12:00:00Z.
    private let moment = Mutex(Timestamp(milliseconds: 1_795_262_400_000))

    var now: Timestamp { moment.withLock { $0 } }
    func advance(by span: Duration) { moment.withLock { $0 = $0 + span } }

    var clock: ServiceClock { ServiceClock { self.now } }
}
