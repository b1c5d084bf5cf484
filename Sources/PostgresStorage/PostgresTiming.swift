/// How long callers wait. A relying party waits five seconds for an answer, so that it receives our 503.
package struct PostgresTiming: Sendable {
    /// How long a call waits for a connection before it fails.
    package var patience = Duration.seconds(2)
    /// How long a call takes at most, from its arrival to the answer after the commit.
    package var limit = Duration.seconds(4)
    /// How often a body runs again after a serialisation failure or a deadlock.
    package var runs = 5
    /// How long the server takes for a statement of the writer at most. Nil for the limit of every session.
    package var statement: Duration?

    package init() {}

    /// For a command that runs while no node does, and changes all rows of large tables at once: nobody waits for its lock.
    package static let alone: PostgresTiming = {
        var timing = PostgresTiming()
        (timing.limit, timing.statement) = (.seconds(6 * 3600), .seconds(6 * 3600))
        return timing
    }()
}
