package import Logging
package import SSOShared
package import SSOWeb
package import Storage

/// A change that an operator makes: with a command today, on a page later. One value for each change, with its input.
package protocol OperatorChange: Sendable {
    /// What the caller is told of the thing that was changed.
    associatedtype Result: Sendable

    /// Makes the change in the caller's transaction, with its rows of the audit log. A change that changes nothing writes
    /// nothing, and succeeds.
    ///
    /// May run again (``Database/write(_:)``).
    ///
    /// - Throws: ``ChangeError``, and then nothing is changed.
    func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Result>
}

/// What became of a change.
package struct Changed<Result: Sendable>: Sendable {
    /// Whether anything is different now.
    package let isChanged: Bool
    package let result: Result

    package init(_ result: Result, isChanged: Bool) {
        (self.result, self.isChanged) = (result, isChanged)
    }
}

/// Why a change was not made, for the operator: names the thing at fault, and the way out.
package struct ChangeError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// Who makes a change, and when.
package struct ChangeContext: Sendable {
    package let actor: AuditActor
    package let now: Timestamp
    package let randomness: any Randomness
    package let protocols: ClientProtocols
    private let audit: AuditStore
    private let logger: Logger?

    init(
        actor: AuditActor, now: Timestamp, randomness: any Randomness, protocols: ClientProtocols, audit: AuditStore,
        logger: Logger?
    ) {
        (self.actor, self.now, self.randomness, self.protocols) = (actor, now, randomness, protocols)
        (self.audit, self.logger) = (audit, logger)
    }

    /// Says that something happens in the transaction of the change, by the one who makes it. A command has no log: of its
    /// changes the audit log alone knows.
    package func record(_ event: Event, _ connection: any SQLConnection) throws {
        var event = event
        event.actor = actor
        if let logger {
            try audit.record(event, logger, connection)
        } else if event.isForAuditLog {
            try audit.write(event, connection)
        }
    }
}

/// Makes changes of operators, beside a running IdP. Each is one transaction.
package struct OperatorChanges: Sendable {
    package let database: any Database
    private let protocols: ClientProtocols
    private let actor: AuditActor
    private let clock: ServiceClock
    private let randomness: any Randomness
    private let logger: Logger?

    /// - Parameters:
    ///   - protocols: those that clients may use.
    ///   - actor: who makes the changes, for the audit log.
    ///   - logger: of a program that makes changes by itself; nil for a command.
    package init(
        _ database: any Database, of protocols: ClientProtocols, by actor: AuditActor, clock: ServiceClock,
        randomness: any Randomness, logger: Logger? = nil
    ) {
        (self.database, self.protocols, self.actor, self.clock) = (database, protocols, actor, clock)
        (self.randomness, self.logger) = (randomness, logger)
    }

    /// - Throws: ``ChangeError`` and ``DatabaseError``.
    package func make<Change: OperatorChange>(_ change: Change) async throws -> Changed<Change.Result> {
        let context = context
        return try await database.write { try change.make(context, $0) }
    }

    /// The same in the caller's transaction.
    package func make<Change: OperatorChange>(
        _ change: Change, _ connection: any SQLConnection
    ) throws -> Changed<Change.Result> {
        try change.make(context, connection)
    }

    private var context: ChangeContext {
        let audit = AuditStore(database: database, clock: clock, randomness: randomness)
        return ChangeContext(
            actor: actor, now: clock.now(), randomness: randomness, protocols: protocols, audit: audit, logger: logger)
    }
}
