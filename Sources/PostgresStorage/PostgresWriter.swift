import Logging
import Storage
import Synchronization

/// Turns the writes that wait into as few commits as possible, as `GroupCommit` of `SQLiteStorage` does. The rules beyond those
/// stated there:
/// - The bodies of a batch run without savepoints at first, and all of them again with savepoints when one has failed.
/// - The lock makes the writers of all processes take turns, so no transaction fails to serialise. While it waits for the lock,
///   further writes arrive and share the commit.
/// - A statement whose outcome nobody looks at waits for the next one. If a transaction with such a one fails, it runs again
///   without that, so that each body has its own errors.
/// - What is lost before COMMIT was sent runs again. What is lost after that has an unknown outcome and never runs again.
final class PostgresWriter: Sendable {
    /// As for SQLite: enough for all requests in flight under load.
    static let batchLimit = 256

    /// Voiding happens once for a promotion. Calls that wait for it wait longer than others.
    private static let limitOfVoiding = Duration.seconds(10)

    private let queue: CallQueue
    private let timing: PostgresTiming
    private let connector: PostgresConnector
    private let logger: Logger
    private let voidGrants: @Sendable (any SQLConnection) throws -> Void
    private let lastCommit = Mutex<ContinuousClock.Instant?>(nil)
    let count = CommitCount()

    /// - Parameter voidGrants: voids everything that may have been used in a transaction that was lost.
    init(
        queue: CallQueue, timing: PostgresTiming, connector: PostgresConnector, logger: Logger,
        voidGrants: @escaping @Sendable (any SQLConnection) throws -> Void
    ) {
        (self.queue, self.timing, self.connector, self.logger) = (queue, timing, connector, logger)
        self.voidGrants = voidGrants
    }

    /// Whether a commit has succeeded within the last second.
    var hasCommittedRecently: Bool {
        lastCommit.withLock { last in last.map { ContinuousClock.now - $0 < .seconds(1) } ?? false }
    }

    /// Whether the last commit has waited for a standby.
    var waitsForStandby: Bool { connector.timeline.waitsForStandby }

    /// Takes the writes that wait, and commits them together.
    func serve(_ connection: PostgresConnection) {
        queue.take(arrivedBefore: .now - timing.patience).forEach {
            $0.fail(.unavailable("too many requests wait for the database"))
        }
        guard connection.isSettled || settle(connection) else { return }
        connection.session.deadline = .now + timing.limit
        connection.queue(.beginWrite)
        do throws(PostgresError) {
            // The lock of one that is alone travels with its first statement.
            if queue.count > 1 { _ = try connection.control(.lock) } else { connection.queue(.lock) }
        } catch {
            guard error.cause == .refused else { return connector.note(error) }
            try? connection.rollBack()
            // Other errors than a lock in use mean that this server takes no writes.
            if !error.isLockTimeout { end(connection, error) }
            return
        }
        let batch = queue.take(Self.batchLimit)
        guard let oldest = batch.first else { return connection.endRead() }
        connection.session.deadline = oldest.arrived + timing.limit
        do throws(PostgresError) {
            var results = try together(batch, connection)
            if results == nil { results = try run(batch, deferring: true, connection) }
            do throws(PostgresError) { try commit(results ?? [], batch, connection) } catch {
                let mayBeLate = connection.hasDeferred && !error.isWorthAnotherRun && !error.isLockTimeout
                guard error.cause == .refused, mayBeLate else { throw error }
                try connection.rollBack()
                begin(connection)
                try commit(try run(batch, deferring: false, connection), batch, connection)
            }
        } catch {
            runAgain(batch, after: error, connection)
        }
    }

    // MARK: - A new connection

    /// Compares the timeline of a new connection with those of before, and voids what a promotion may have made unused again:
    /// all before the first write.
    ///
    /// - Returns: false when the connection cannot be used, or a lock is in use. The writes still wait.
    private func settle(_ connection: PostgresConnection) -> Bool {
        connection.session.deadline = .now + timing.limit
        let (timeline, state) = (connection.session.timeline, connector.timeline)
        let finding: TimelineTable.Finding
        do {
            begin(connection)
            if let limit = timing.statement {
                _ = try connection.query(
                    "SELECT set_config('statement_timeout', '\(Int(limit.seconds))s', false) AS done")
            }
            finding = try TimelineTable.record(
                timeline, before: state.highest, mayHaveLostCommits: state.mayHaveLostCommits, connection)
            if case .promoted(_, voids: true) = finding {
                connection.session.deadline = .now + Self.limitOfVoiding
                _ = try connection.query("SELECT set_config('statement_timeout', '10s', true) AS done")
                try voidGrants(connection)
            }
            switch try connection.commit() {
            case .kept: break
            case .rolledBack: throw PostgresError.lost("rolled back")
            // What was voided may be unused again. The next connection looks.
            case .unknown(let warning): throw PostgresError.lost(Self.words(about: warning))
            }
        } catch {
            if connection.failure?.isLockTimeout == true, (try? connection.rollBack()) != nil { return false }
            end(connection, error as? PostgresError ?? .lost("\(error)"))
            return false
        }
        if case .older(let known) = finding {
            state.note(known)
            end(connection, connector.older(connection.session))
            return false
        }
        state.note(timeline)
        noteCommit(connection)
        connection.isSettled = true
        if case .promoted(let isSynchronous, let voids) = finding {
            logFailover(timeline, isSynchronous: isSynchronous, voids: voids)
        }
        return true
    }

    /// The alarm is one for all nodes.
    private func logFailover(_ timeline: Int64, isSynchronous: Bool, voids: Bool) {
        var details: Logger.Metadata = ["timeline": "\(timeline)", "synchronous": "\(isSynchronous)"]
        if voids {
            details["message"] = """
                Commits of the last moments may be lost, so every unused token, code, link, handoff and challenge was voided.
                """
        }
        logger.log(level: voids ? .error : .warning, "database_failed_over", metadata: details)
    }

    // MARK: - Bodies

    private struct Result {
        let hasSucceeded: Bool
        let answer: PendingCall.Answer
    }

    /// Runs several bodies without savepoints, which cost as much as their statements.
    ///
    /// - Returns: nil when one of them has failed. Nothing of any is left then, and all have to run again with savepoints.
    private func together(
        _ batch: [PendingCall], _ connection: PostgresConnection
    ) throws(PostgresError) -> [Result]? {
        guard batch.count > 1 else { return nil }
        var results: [Result] = []
        for call in batch {
            switch connection.run(call, carefully: false, deferring: true) {
            case .succeeded(let answer): results.append(Result(hasSucceeded: true, answer: answer))
            case .failed, .wentOn:
                try connection.rollBack()
                begin(connection)
                return nil
            case .broken(let error): throw error
            }
        }
        return results
    }

    private func begin(_ connection: PostgresConnection) {
        connection.queue(.beginWrite)
        connection.queue(.lock)
    }

    private func run(
        _ batch: [PendingCall], deferring: Bool, _ connection: PostgresConnection
    ) throws(PostgresError) -> [Result] {
        let isAlone = batch.count == 1
        var results: [Result] = []
        for call in batch {
            results.append(try run(call, isAlone: isAlone, deferring: deferring && isAlone, connection))
        }
        return results
    }

    /// Runs one body. One among others has a savepoint, so that it can fail alone.
    ///
    /// - Throws: what must fail the whole batch.
    private func run(
        _ call: PendingCall, isAlone: Bool, deferring: Bool, _ connection: PostgresConnection
    ) throws(PostgresError) -> Result {
        for isCareful in [false, true] {
            if !isAlone { connection.queue(.beginBody) }
            switch connection.run(call, carefully: isCareful, deferring: deferring && !isCareful) {
            case .succeeded(let answer):
                if !isAlone, !connection.unqueue(.beginBody) { connection.queue(.endBody) }
                return Result(hasSucceeded: true, answer: answer)
            case .failed(let answer):
                try undo(isAlone: isAlone, connection)
                return Result(hasSucceeded: false, answer: answer)
            case .wentOn:
                try undo(isAlone: isAlone, connection)
                if isAlone { begin(connection) }
            case .broken(let error): throw error
            }
        }
        return Result(hasSucceeded: false) {
            call.fail($0 ?? .unavailable("PostgreSQL has refused to undo a statement"))
        }
    }

    private func undo(isAlone: Bool, _ connection: PostgresConnection) throws(PostgresError) {
        guard !isAlone else { return try connection.rollBack() }
        connection.recover()
        if connection.unqueue(.beginBody) { return }
        connection.queue(.undoBody)
        connection.queue(.endBody)
    }

    // MARK: - The commit

    private func commit(
        _ results: [Result], _ batch: [PendingCall], _ connection: PostgresConnection
    ) throws(PostgresError) {
        guard results.contains(where: \.hasSucceeded), connection.hasWork else {
            // Nothing was changed. An error may still depend on what others have committed, and that is kept.
            connection.endRead()
            return results.forEach { $0.answer(nil) }
        }
        guard connection.session.deadline > .now else { throw PostgresError.lost("no time is left for the commit") }
        let start = ContinuousClock.now
        do throws(PostgresError) {
            switch try connection.commit() {
            case .kept: break
            case .rolledBack: return batch.forEach { $0.fail(.unavailable("PostgreSQL has rolled back")) }
            case .unknown(let warning):
                // PostgreSQL warns when it gives the wait for a standby up.
                if !connection.synchronousStandbys.isEmpty { connector.noteWait(for: connection.synchronousStandbys) }
                return answer(results, Self.words(about: warning))
            }
        } catch {
            // An error is an answer: nothing was committed. Without one nobody knows.
            guard error.cause == .lost else { throw error }
            connector.note(error)
            let names = connection.synchronousStandbys
            return answer(
                results, names.isEmpty ? "\(error)" : "\(error); \(PostgresSession.words(aboutWaitFor: names))")
        }
        lastCommit.withLock { $0 = .now }
        count.add(writes: results.count, since: start)
        noteCommit(connection)
        results.forEach { $0.answer(nil) }
    }

    /// Takes note of a commit. One that has changed nothing waits for no standby, so it says nothing about one.
    private func noteCommit(_ connection: PostgresConnection) {
        guard connection.synchronousStandbys.isEmpty || connection.hasChanged else { return }
        connector.noteCommit()
        connector.timeline.noteCommit(waitingFor: connection.synchronousStandbys)
    }

    static func words(about warning: String) -> String { "PostgreSQL has warned at the commit: \(warning)" }

    /// Answers calls whose commit has an unknown outcome.
    private func answer(_ results: [Result], _ reason: String) {
        lastCommit.withLock { $0 = nil }
        logger.warning("database_commit_unknown", metadata: ["reason": "\(reason)", "writes": "\(results.count)"])
        let failure = DatabaseError.uncertain(reason)
        results.forEach { $0.answer(failure) }
    }

    // MARK: - Another run

    /// Puts the calls back that may run again: none of their changes was committed.
    private func runAgain(_ batch: [PendingCall], after error: PostgresError, _ connection: PostgresConnection) {
        lastCommit.withLock { $0 = nil }
        if error.cause == .lost {
            connection.session.close()
            connector.note(error)
        } else {
            try? connection.rollBack()
        }
        var again: [PendingCall] = []
        for var call in batch {
            call.runs += 1
            let mayRun = call.runs < timing.runs && call.arrived + timing.patience > .now
            if mayRun, error.cause == .lost || error.isWorthAnotherRun {
                again.append(call)
            } else {
                call.fail(error.asDatabaseError.asUnavailable)
            }
        }
        queue.putBack(again)
    }

    /// Gives the connection up because its server takes no writes.
    private func end(_ connection: PostgresConnection, _ error: PostgresError) {
        connection.session.close()
        connector.note(error)
    }
}
