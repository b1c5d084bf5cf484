package import Logging
package import SSOShared
package import SSOWeb
package import Storage
import Synchronization

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
    private let later = Later()

    /// What a change leaves for transactions after its own, so that none of them is too long. It may be lost with the process, so
    /// the next start must find it by itself.
    package typealias FollowUp = @Sendable (ChangeContext, any Database) async throws -> Void

    private final class Later: Sendable {
        let work = Mutex<[FollowUp]>([])
    }

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

    /// Does something once the change is committed, before its caller hears of it.
    package func afterwards(_ work: @escaping FollowUp) { later.work.withLock { $0.append(work) } }

    /// Does all of that.
    func finish(_ database: any Database) async throws {
        do {
            for work in later.work.withLock({ $0 }) { try await work(self, database) }
        } catch {
            throw DatabaseError.unavailable(
                "the change is made, but not all clients know of the users who have lost access, and the next start tells them: \(error)"
            )
        }
    }
}

/// Makes changes of operators, beside a running IdP. Each is one transaction. What it ends for any number of users follows in
/// others (``ChangeContext/afterwards(_:)``).
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
        let (changed, context) = try await database.write { connection in
            // A new one each time that this runs.
            let context = self.context
            return (try change.make(context, connection), context)
        }
        try await context.finish(database)
        return changed
    }

    /// The same in the caller's transaction, for a change that leaves nothing for others.
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
