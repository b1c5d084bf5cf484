import Foundation
import Synchronization

/// How long the writer waits for a lock that another process holds: until a deadline that the group commit moves with its oldest caller,
/// so that nobody waits longer than `patience`, however many batches are ahead of him.
final class BusyWait: Sendable {
    let patience: Duration
    private let deadline: Mutex<ContinuousClock.Instant>

    init(patience: Duration) {
        self.patience = patience
        deadline = Mutex(.now.advanced(by: patience))
    }

    /// From now on a lock is waited for until `arrived` plus the patience.
    func begin(arrived: ContinuousClock.Instant) { deadline.withLock { $0 = arrived.advanced(by: patience) } }

    /// SQLite's busy handler: sleeps a little and says whether to try again. Runs on the writer's own thread.
    ///
    /// Short naps, for there is no queue between processes: who polls seldom starves.
    func mayRetry(tries: Int) -> Bool {
        let now = ContinuousClock.now
        let end = deadline.withLock { $0 }
        guard now < end else { return false }
        let nap = min(Duration.milliseconds(tries < 10 ? 1 : 5), now.duration(to: end))
        Thread.sleep(forTimeInterval: nap / .seconds(1))
        return true
    }
}
