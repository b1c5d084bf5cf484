import SSOWeb
import Synchronization

/// Owns the rule how many rows one account gets in an hour, whatever its user does: 600, and 20 more of each event after these.
///
/// A user who is signed in can cause events in a loop: a page that asks for a token again and again writes a row each time. The
/// last 20 of each event are kept apart, so that a flood of one event does not hide what else is done with the account. Counts
/// are in memory, and each process has its own. A transaction that runs again counts again: rather one row too few.
package final class AuditShares: Sendable {
    static let rows = 600
    static let furtherOfEachEvent = 20

    private struct Event: Hashable {
        let subject: Int
        let event: EventKind
    }

    private struct Counts {
        var hour: AuditHour?
        /// By the hash of the account: a string each would be most of the memory.
        var rows: [Int: Int] = [:]
        var further: [Event: Int] = [:]
    }

    private let counts = Mutex(Counts())

    package init() {}

    /// Counts an event.
    ///
    /// - Returns: whether it gets a row.
    func admits(_ event: EventKind, of subject: String, at now: Timestamp) -> Bool {
        let (hour, key) = (AuditHour(now), subject.hashValue)
        return counts.withLock { counts in
            if counts.hour != hour { counts = Counts(hour: hour) }
            let number = counts.rows[key, default: 0]
            guard number >= Self.rows else {
                counts.rows[key] = number + 1
                return true
            }
            let further = counts.further[Event(subject: key, event: event), default: 0]
            guard further < Self.furtherOfEachEvent else { return false }
            counts.further[Event(subject: key, event: event)] = further + 1
            return true
        }
    }
}

extension Event {
    /// Whose share of rows it is counted in: the account's, or the client's that names none. Nil for what only operators and the
    /// program itself can cause.
    var subject: String? {
        switch actor {
        case .command: nil
        case .program, .user, .client, .provider, .visitor: account ?? client.flatMap { isOfClient ? $0 : nil }
        }
    }

    private var isOfClient: Bool { if case .client = actor { true } else { false } }
}
