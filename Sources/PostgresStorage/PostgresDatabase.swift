import Dispatch
public import Logging
public import Storage

/// ``Database`` in PostgreSQL: one connection that groups writes into commits, and several that read.
///
/// Any number of processes may share the database. No call blocks its thread: each connection has a thread of its own.
public final class PostgresDatabase: CountingDatabase {
    /// As for SQLite: more calls than can be in flight on the connections that a server accepts.
    static let waitingLimit = 4_096

    private let migrator: Migrator
    private let writer: PostgresWriter
    private let writes = CallQueue(capacity: waitingLimit)
    private let reads = CallQueue(capacity: waitingLimit)
    private let running = DispatchGroup()

    /// Opens the database, and applies the missing migrations.
    ///
    /// - Parameter voidGrants: voids everything that may have been used in a transaction that was lost. It runs after the
    ///   promotion of a standby that was not waited for, in a transaction before the first write.
    /// - Throws: ``DatabaseError/refused(_:)`` for a server that cannot be reached or is too old, and for a database that is
    ///   newer, not ours, or sorts texts in another way.
    public convenience init(
        _ address: PostgresAddress, migrations: [Migration], logger: Logger,
        voidGrants: @escaping @Sendable (any SQLConnection) throws -> Void
    ) async throws(DatabaseError) {
        try await self.init(
            address, migrations: migrations, logger: logger, timing: PostgresTiming(), voidGrants: voidGrants)
    }

    /// Opens the database as it is, also without tables: for a check, which changes nothing.
    public static func openUnchanged(
        _ address: PostgresAddress, migrations: [Migration], logger: Logger
    ) async throws(DatabaseError) -> PostgresDatabase {
        try await PostgresDatabase(
            address, migrations: migrations, logger: logger, timing: PostgresTiming(), appliesSteps: false
        ) { _ in }
    }

    /// - Parameter appliesSteps: whether missing migrations are applied.
    package init(
        _ address: PostgresAddress, migrations: [Migration], logger: Logger, timing: PostgresTiming,
        appliesSteps: Bool = true, voidGrants: @escaping @Sendable (any SQLConnection) throws -> Void
    ) async throws(DatabaseError) {
        let migrator = Migrator(migrations: migrations)
        if appliesSteps {
            let opening = PostgresOpening(address: address, migrator: migrator)
            try await BlockingWork.run { () throws(DatabaseError) in try opening.migrate() }
        }
        let connector = PostgresConnector(address, patience: timing.patience, logger: logger)
        let writer = PostgresWriter(
            queue: writes, timing: timing, connector: connector, logger: logger, voidGrants: voidGrants)
        let reader = PostgresReader(queue: reads, timing: timing, connector: connector)
        (self.migrator, self.writer) = (migrator, writer)
        PostgresWorker(writes, connector, patience: timing.patience, serve: writer.serve)
            .start("database-writer", in: running)
        for _ in 1...address.readers {
            PostgresWorker(reads, connector, patience: timing.patience, serve: reader.serve)
                .start("database-reader", in: running)
        }
    }

    deinit {
        writes.close()
        reads.close()
    }

    /// How many writes wait for the writer.
    package var waitingWrites: Int { writes.count }

    public var numbers: DatabaseNumbers {
        DatabaseNumbers(
            commits: writer.count.commits, writes: writer.count.writes, time: writer.count.time,
            waitingWrites: waitingWrites, waitingReads: reads.count, waitsForStandby: writer.waitsForStandby)
    }

    public func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await Self.call(reads, body)
    }

    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await Self.call(writes, body)
    }

    private static func call<T: Sendable>(
        _ queue: CallQueue, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { caller in
            let call = PendingCall(body, caller: caller)
            do throws(DatabaseError) { try queue.add(call) } catch { call.fail(error) }
        }.finished()
    }

    public func checkReady() async throws(DatabaseError) {
        do {
            // A sign-in needs a commit. After a recent one reading is enough.
            let misfit = try await write { [migrator, writer] connection in
                let misfit = migrator.misfit(applied: try PostgresOpening.applied(migrator, connection))
                if !writer.hasCommittedRecently {
                    try connection.execute(Migrator.emptyChange)
                }
                return misfit
            }
            if let misfit { throw DatabaseError.schema(step: misfit) }
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw .misuse("\(type(of: error))")
        }
    }

    public func close() async {
        writes.close()
        reads.close()
        await withCheckedContinuation { caller in running.notify(queue: .global()) { caller.resume() } }
    }

    /// Checks whether the database could be opened, and leaves everything as it is.
    ///
    /// - Returns: the names of the steps that opening it would apply to what is there. None for a database without tables.
    /// - Throws: ``DatabaseError/refused(_:)`` with the line that opening it would end with.
    public static func inspect(
        _ address: PostgresAddress, migrations: [Migration]
    ) async throws(DatabaseError) -> [String] {
        try await steps(address, migrations, connections: address.readers + 1) ?? []
    }

    /// Whether the database has tables. Opening it would make them otherwise.
    ///
    /// - Throws: as ``inspect(_:migrations:)``.
    public static func hasTables(
        _ address: PostgresAddress, migrations: [Migration]
    ) async throws(DatabaseError) -> Bool {
        try await steps(address, migrations) != nil
    }

    /// Whether the database has all tables. Opening it would change nothing then.
    ///
    /// - Throws: as ``inspect(_:migrations:)``.
    public static func isComplete(
        _ address: PostgresAddress, migrations: [Migration]
    ) async throws(DatabaseError) -> Bool {
        try await steps(address, migrations)?.isEmpty == true
    }

    private static func steps(
        _ address: PostgresAddress, _ migrations: [Migration], connections: Int = 1
    ) async throws(DatabaseError) -> [String]? {
        let opening = PostgresOpening(address: address, migrator: Migrator(migrations: migrations))
        return try await BlockingWork.run { () throws(DatabaseError) in try opening.inspect(connections: connections) }
    }
}
