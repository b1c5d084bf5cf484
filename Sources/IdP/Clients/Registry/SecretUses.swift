package import SSOWeb
package import Storage
import Synchronization

/// Notes when clients use their secrets, so that operators see which one may go.
///
/// A use is written with what the client has done, at most once per minute, secret and process: a sign-in costs no
/// statement more, except one in a minute.
package final class SecretUses: Sendable {
    static let interval: Duration = .minutes(1)
    private let written = Mutex<[SecretName: Timestamp]>([:])

    /// Writes a use in the caller's transaction if it is due. It is remembered after the commit.
    package func write(_ name: SecretName, at now: Timestamp, _ connection: any SQLConnection) throws {
        guard isDue(name, at: now) else { return }
        try ClientStore().noteUse(of: name, at: now, connection)
        connection.afterCommit { [self] in if $0 == .kept { noteWritten(name, at: now) } }
    }

    package func isDue(_ name: SecretName, at now: Timestamp) -> Bool {
        guard let last = written.withLock({ $0[name] }) else { return true }
        // Also after a clock that was set back.
        return last > now || now - last >= Self.interval
    }

    private func noteWritten(_ name: SecretName, at now: Timestamp) {
        written.withLock {
            // Bounded: secrets that were retired leave with the rest.
            if $0.count > 4 * ClientLimits.clients { $0 = [:] }
            $0[name] = now
        }
    }
}
