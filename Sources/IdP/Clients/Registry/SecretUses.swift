package import SSOWeb
package import Storage
import Synchronization

/// Notes when clients use their secrets, so that operators see which one may go, and messages are signed with the one used last.
///
/// A use is written with what the client has done, at most once per minute, client and process, and when the client uses another
/// secret than before: a sign-in costs no statement more, except one in a minute.
package final class SecretUses: Sendable {
    static let interval: Duration = .minutes(1)
    /// What was written last of each client.
    private let written = Mutex<[String: (fingerprint: String, at: Timestamp)]>([:])
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Writes a use in the caller's transaction if it is due. It is remembered after the commit.
    package func write(_ name: SecretName, at now: Timestamp, _ connection: any SQLConnection) throws {
        guard isDue(name, at: now) else { return }
        try ClientStore().noteUse(of: name, at: now, connection)
        connection.afterCommit { [self] in if $0 == .kept { noteWritten(name, at: now) } }
    }

    /// Writes a use if it is due, in a transaction of its own that the caller does not wait for.
    package func note(
        _ name: SecretName, at now: Timestamp, in database: any Database,
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        let isTaken = written.withLock {
            guard Self.isDue(name, $0[name.client], at: now) else { return false }
            Self.add(name, at: now, to: &$0)
            return true
        }
        guard isTaken else { return }
        last.withLock { last in
            last = Task { [self, before = last] in
                await before?.value
                do { try await database.write { try ClientStore().noteUse(of: name, at: now, $0) } } catch {
                    // The next use is due.
                    written.withLock { $0[name.client] = nil }
                    failed(error)
                }
            }
        }
    }

    /// Waits for what ``note(_:at:in:failed:)`` writes.
    package func finish() async { await last.withLock(\.self)?.value }

    private func isDue(_ name: SecretName, at now: Timestamp) -> Bool {
        Self.isDue(name, written.withLock { $0[name.client] }, at: now)
    }

    private static func isDue(
        _ name: SecretName, _ last: (fingerprint: String, at: Timestamp)?, at now: Timestamp
    ) -> Bool {
        guard let last, last.fingerprint == name.fingerprint else { return true }
        // Also after a clock that was set back.
        return last.at > now || now - last.at >= interval
    }

    private func noteWritten(_ name: SecretName, at now: Timestamp) {
        written.withLock { Self.add(name, at: now, to: &$0) }
    }

    private static func add(
        _ name: SecretName, at now: Timestamp, to written: inout [String: (fingerprint: String, at: Timestamp)]
    ) {
        // Bounded: clients that were removed leave with the rest.
        if written.count > 4 * ClientLimits.clients { written = [:] }
        written[name.client] = (name.fingerprint, now)
    }
}
