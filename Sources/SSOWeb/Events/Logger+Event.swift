package import Logging
package import Storage

extension Logger {
    /// Says that something happened: one line, built only if its level is on, and one count. No row: see `context.record`.
    package func record(_ event: Event) {
        if event.places != .row { (handler as? any EventCounter)?.count(event) }
        guard let level = event.lineLevel, logLevel <= level else { return }
        line(event, level)
    }

    /// ``record(_:)`` after a commit. Of an unknown one the line says so, and nothing is counted.
    package func record(_ event: Event, _ outcome: CommitOutcome) {
        guard outcome == .unknown else { return record(event) }
        guard let level = event.lineLevel, logLevel <= level else { return }
        var event = event
        event.further["commit"] = "unknown"
        line(event, level)
    }

    /// The same logger, which counts what it records.
    package func counting(_ counts: (any EventCounting)?) -> Logger {
        guard let counts, let counter = handler as? any EventCounter else { return self }
        var logger = self
        logger.handler = counter.counting(counts)
        return logger
    }

    /// The file that the lines of events come from: they were counted.
    static let fileOfEvents = #fileID

    private func line(_ event: Event, _ level: Level) {
        let logger = event.address.map { about($0, account: event.account) } ?? self
        logger.log(level: level, Message(stringLiteral: event.kind.id), metadata: event.metadata)
    }

    /// The same logger, whose lines name an address and its account and nobody else: in the session of one user an address of
    /// another one may be typed.
    package func about(_ address: TypedAddress?, account: String?) -> Logger {
        var logger = self
        logger[metadataKey: "account"] = account.map { "\($0)" }
        logger[metadataKey: "address"] = address.map { "\($0.masked)" }
        logger[metadataKey: "address_id"] = address.map { "\($0.id)" }
        return logger
    }
}

/// A log handler that counts events: every one passes it, whatever levels are written.
package protocol EventCounter: LogHandler {
    func count(_ event: Event)
    /// The same handler with counts.
    func counting(_ counts: any EventCounting) -> Self
}

/// Counts what happens.
package protocol EventCounting: AnyObject, Sendable {
    func count(_ event: Event)
    /// Counts a line that was not made from an event: storage knows none. Only lines of the levels that are written come here.
    func count(_ line: LogEvent)
}
