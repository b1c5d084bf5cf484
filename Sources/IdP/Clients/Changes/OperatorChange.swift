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
    private let audit: AuditStore

    init(actor: AuditActor, now: Timestamp, randomness: any Randomness, audit: AuditStore) {
        (self.actor, self.now, self.randomness, self.audit) = (actor, now, randomness, audit)
    }

    /// Writes a row of the audit log in the transaction of the change. Its actor is the one who makes the change. A command has
    /// no log.
    package func write(_ row: Event, _ connection: any SQLConnection) throws {
        var row = row
        row.actor = actor
        try audit.write(row, connection)
    }
}

/// Makes changes of operators, beside a running IdP. Each is one transaction.
package struct OperatorChanges: Sendable {
    package let database: any Database
    private let actor: AuditActor
    private let clock: ServiceClock
    private let randomness: any Randomness

    /// - Parameter actor: who makes the changes, for the audit log.
    package init(
        _ database: any Database, by actor: AuditActor, clock: ServiceClock = .system(),
        randomness: any Randomness = SystemRandomness()
    ) {
        (self.database, self.actor, self.clock, self.randomness) = (database, actor, clock, randomness)
    }

    /// - Throws: ``ChangeError`` and ``DatabaseError``.
    package func make<Change: OperatorChange>(_ change: Change) async throws -> Changed<Change.Result> {
        let audit = AuditStore(database: database, clock: clock, randomness: randomness)
        let context = ChangeContext(actor: actor, now: clock.now(), randomness: randomness, audit: audit)
        return try await database.write { try change.make(context, $0) }
    }
}
