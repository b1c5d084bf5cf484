package import Logging
import Storage
import Synchronization

/// Records an event that happens again and again while something is away: each cause is a line once in a minute. Every one is
/// counted, and the others are lines at `debug`.
package final class RepeatedEvent: Sendable {
    private let recent = Mutex(RecentTexts())

    package init() {}

    package func record(_ event: Event, _ logger: Logger) {
        var event = event
        if !recent.withLock({ $0.isNews("\(event.kind.id) \(event.cause ?? "")") }) { event.level = .debug }
        logger.record(event)
    }
}
