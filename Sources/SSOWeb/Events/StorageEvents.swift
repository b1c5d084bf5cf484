import Logging

/// What happens to a database that is a server. Storage has a logger and no event: here is what its lines mean.
extension EventKind {
    package static let databaseUnavailable = EventKind(
        "database_unavailable", .error, line: [.reason],
        "PostgreSQL cannot be used: `reason`, each at most once a minute. 503 until `database_connected` ([nodes](postgresql.md))."
    )
    package static let databaseConnected = EventKind(
        "database_connected", .notice, .line, "PostgreSQL can be used again: an alarm is over.")
    /// A `warning` where nothing was voided.
    package static let databaseFailedOver = EventKind(
        "database_failed_over", .error, .line,
        "A standby was promoted: `error` at one node with `synchronous=false`, else `warning`. `synchronous=false`: [what was voided](postgresql.md#failover). Replicate synchronously."
    )
    package static let databaseTimelineOlder = EventKind(
        "database_timeline_older", .error, .line,
        "[An old primary](postgresql.md#failover) runs again at `server`. Stop it.")
    package static let databaseWaitsForStandby = EventKind(
        "database_waits_for_standby", .error, .line,
        "The synchronous standby of `names` is away: [no commit ends](postgresql.md#failover). Start it or do without."
    )
    package static let databaseCommitUnknown = EventKind(
        "database_commit_unknown", .warning, line: [.reason],
        "A commit without an answer, or with a warning: the callers got 503, and it happened or not. Often: standby and network."
    )
}

/// The events of storage.
package enum StorageEvents {
    package static let all: [EventKind] = [
        .databaseUnavailable, .databaseConnected, .databaseFailedOver, .databaseTimelineOlder,
        .databaseWaitsForStandby, .databaseCommitUnknown,
    ]
}
