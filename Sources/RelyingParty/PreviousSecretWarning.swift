import Logging
import SSOWeb
import Synchronization

/// Logs that the identity provider has a newer shared secret than this process, at most once per hour: every answer says so.
final class PreviousSecretWarning: Sendable {
    private static let interval = Duration.hours(1)

    private let clock: ServiceClock
    private let logger: Logger
    private let last = Mutex<Timestamp?>(nil)

    init(clock: ServiceClock, logger: Logger) { (self.clock, self.logger) = (clock, logger) }

    @Sendable func note() {
        let now = clock.now()
        let isDue = last.withLock { last in
            if let last, now - last < Self.interval { return false }
            last = now
            return true
        }
        guard isDue else { return }
        logger.record(
            Event(
                RelyingPartyEvents.sharedSecretPrevious,
                [
                    "message":
                        "The identity provider has a newer secret for this client. Set SSO_SHARED_SECRET to it and restart: this one will be refused."
                ]))
    }
}
