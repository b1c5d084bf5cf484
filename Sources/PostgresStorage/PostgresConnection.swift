import CPostgres
import Storage

/// ``SQLConnection`` over one session. Valid only on the thread of that session.
///
/// PostgreSQL ends a transaction at the first statement that fails, and the rules of the stores let a body go on. A savepoint
/// before every statement would allow that, at the price of two more commands for each. So a body runs without them first. If it
/// does go on after an error, it runs once more, with them: a body may run again.
final class PostgresConnection: CallConnection {
    let session: PostgresSession
    var actions: [CommitAction] = []
    /// Whether the writer has compared the server's timeline with those of before.
    var isSettled = false
    private var statements = PreparedStatements()

    /// What goes to the server with the next statement.
    private var waiting: [PostgresSession.Message] = []
    /// Whether what begins a transaction was sent, and nothing that ends it.
    private(set) var hasBegun = false

    /// How the statements of a read see one snapshot.
    enum ReadMode: CaseIterable {
        /// There is only one statement, so that no transaction is needed. A body with a second one runs again.
        case single
        case snapshot
        /// As ``snapshot``, with a savepoint before each statement.
        case careful
    }

    /// Whether the body of a read has one statement, as far as is known.
    private var isSingle = false
    private var firstOfSingle: String?
    /// The first statements of bodies that had a second one.
    private var firstOfSeveral: Set<String> = []

    /// Whether each statement has a savepoint of its own.
    private var isCareful = false
    /// Whether ``send(_:_:)`` waits for the next statement.
    private var defers = false
    /// Whether a statement of this transaction has waited for the next one: an error may be its error.
    private(set) var hasDeferred = false
    /// What `synchronous_standby_names` was when this transaction took the lock: empty where no standby is waited for.
    private(set) var synchronousStandbys = ""
    /// Whether this transaction has changed a row. COMMIT waits for a standby only then.
    private(set) var hasChanged = false
    /// The first error of the transaction. Until it is rolled back, PostgreSQL runs nothing more.
    private(set) var failure: PostgresError?
    /// Whether the body went on after ``failure``.
    private var hasGoneOn = false

    init(_ session: PostgresSession) { self.session = session }

    func query(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> [SQLRow] {
        let (statement, result) = try run(sql, values)
        return try result.rows(columns(of: statement, result))
    }

    func forEachRow(_ sql: String, _ values: SQLArguments, _ body: (any SQLColumns) throws -> Void) throws {
        let (statement, result) = try run(sql, values)
        try result.forEachRow(columns(of: statement, result), body)
    }

    private func columns(of statement: PreparedStatement, _ result: PostgresResult) -> [String] {
        let columns = statement.columns ?? result.columns
        statement.columns = columns
        return columns
    }

    func execute(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> Int {
        try run(sql, values).result.changedRows
    }

    func send(_ sql: String, _ values: SQLArguments) throws(DatabaseError) {
        guard defers, failure == nil else {
            _ = try execute(sql, values)
            return
        }
        let (statement, parameters) = try statements.find(sql, values)
        Self.append(statement, parameters, to: &waiting)
        hasDeferred = true
    }

    /// Adds a statement, prepared once before it runs.
    private static func append(
        _ statement: PreparedStatement, _ parameters: PostgresParameters, to messages: inout [PostgresSession.Message]
    ) {
        let isBeingPrepared = messages.contains {
            if case .prepare(let other) = $0 { other === statement } else { false }
        }
        if !statement.isPrepared && !isBeingPrepared { messages.append(.prepare(statement)) }
        messages.append(.run(statement, parameters))
    }

    private func run(
        _ sql: String, _ values: SQLArguments
    ) throws(DatabaseError) -> (statement: PreparedStatement, result: PostgresResult) {
        if let failure {
            hasGoneOn = true
            throw failure.asDatabaseError
        }
        if isSingle { try noteStatement(sql) }
        let (statement, parameters) = try statements.find(sql, values)
        var messages = takeWaiting()
        let hasSavepoint = isCareful && !Self.isAboutSavepoints(sql)
        if hasSavepoint { messages.append(.control(.beginStatement)) }
        Self.append(statement, parameters, to: &messages)
        let place = messages.count - 1
        if hasSavepoint { messages.append(.control(.endStatement)) }
        let result: PostgresResult
        do throws(PostgresError) {
            let results = try session.run(messages)
            noteStandbys(messages, results)
            result = results[place]
        } catch {
            if error.isStalePlan { statements.forgetAll() }
            note(error, canUndo: hasSavepoint)
            throw error.asDatabaseError
        }
        guard result.status != PGRES_EMPTY_QUERY else { throw .misuse("the statement is empty") }
        return (statement, result)
    }

    /// Begins a transaction for a body that is known to have several statements, or stops one that shows now that it has.
    private func noteStatement(_ sql: String) throws(DatabaseError) {
        if let firstOfSingle {
            firstOfSeveral.insert(firstOfSingle)
            let error = PostgresError(cause: .refused, state: "", words: "a second statement needs a snapshot")
            (failure, hasGoneOn) = (error, true)
            throw error.asDatabaseError
        }
        firstOfSingle = sql
        guard firstOfSeveral.contains(sql) else { return }
        isSingle = false
        queue(.beginRead)
    }

    /// Undoes the statement that has failed, or takes note that the transaction has failed.
    private func note(_ error: PostgresError, canUndo: Bool) {
        guard canUndo, error.cause == .refused, !error.isWorthAnotherRun else { return failure = error }
        do throws(PostgresError) {
            _ = try session.run([.control(.undoStatement), .control(.endStatement)])
        } catch {
            failure = error
        }
    }

    /// A savepoint around a statement would hide the savepoint that the statement makes.
    private static func isAboutSavepoints(_ sql: String) -> Bool {
        ["SAVEPOINT", "ROLLBACK", "RELEASE"].contains { sql.hasPrefix($0) }
    }

    // MARK: - Transactions

    /// Sends a command with the next statement.
    func queue(_ control: PostgresControl) { waiting.append(.control(control)) }

    /// Takes what goes to the server with what is sent now.
    private func takeWaiting() -> [PostgresSession.Message] {
        defer { waiting = [] }
        hasBegun =
            hasBegun
            || waiting.contains {
                switch $0 {
                case .control(.beginRead), .control(.beginWrite): true
                default: false
                }
            }
        return waiting
    }

    /// Takes back what ``queue(_:)`` has put last and was not sent. False when it was sent.
    func unqueue(_ control: PostgresControl) -> Bool {
        guard case .control(control)? = waiting.last else { return false }
        waiting.removeLast()
        return true
    }

    /// Sends a command at once, with those that wait.
    func control(_ control: PostgresControl) throws(PostgresError) -> PostgresResult {
        let messages = takeWaiting() + [.control(control)]
        do throws(PostgresError) {
            let results = try session.run(messages)
            noteStandbys(messages, results)
            guard let last = results.last else { throw PostgresError.lost("an answer is missing") }
            if control == .commit { (hasDeferred, hasBegun) = (false, false) }
            return last
        } catch {
            if error.isStalePlan { statements.forgetAll() }
            failure = error
            throw error
        }
    }

    /// What is known after a COMMIT.
    enum CommitOutcome {
        case kept, rolledBack
        /// PostgreSQL reports success for what may still vanish: a wait for the standby was cancelled, and it has warned.
        case unknown(_ warning: String)
    }

    /// Commits. Every transaction ends by this.
    func commit() throws(PostgresError) -> CommitOutcome {
        let before = session.warnings.count
        let command = try control(.commit).command
        guard session.warnings.count == before else { return .unknown(session.warnings.last) }
        return command == "COMMIT" ? .kept : .rolledBack
    }

    /// Reads the answer to ``PostgresControl/lock``.
    private func noteStandbys(_ messages: [PostgresSession.Message], _ results: [PostgresResult]) {
        for (message, result) in zip(messages, results) {
            if case .control(.lock) = message {
                (synchronousStandbys, hasChanged) = ((result.texts.last ?? nil) ?? "", false)
            } else if !synchronousStandbys.isEmpty, !hasChanged {
                hasChanged = result.changedRows > 0
            }
        }
    }

    /// Begins a read. All its statements see one snapshot.
    func beginRead(_ mode: ReadMode) {
        (isSingle, firstOfSingle) = (mode == .single, nil)
        if !isSingle { queue(.beginRead) }
    }

    /// Ends a transaction in which nothing was changed. Does not wait for the answer.
    func endRead() {
        let hasBegun = hasBegun
        forgetTransaction()
        guard hasBegun else { return }
        try? session.sendOnly([.control(.rollback)])
    }

    /// Rolls the transaction back.
    func rollBack() throws(PostgresError) {
        let hasBegun = hasBegun
        forgetTransaction()
        guard hasBegun else { return }
        _ = try session.run([.control(.rollback)])
    }

    private func forgetTransaction() { (failure, hasDeferred, hasBegun, waiting) = (nil, false, false, []) }

    /// Takes note that the failed part of the transaction will be rolled back with the next command.
    func recover() { failure = nil }

    /// Whether there is something to commit: a transaction has begun, or statements wait for the commit.
    var hasWork: Bool {
        hasBegun || waiting.contains { if case .run = $0 { true } else { false } }
    }

    // MARK: - Bodies

    /// What became of a body.
    enum Outcome {
        /// It has returned, and all its statements have worked.
        case succeeded(answer: PendingCall.Answer)
        /// It has thrown, so its changes must go.
        case failed(answer: PendingCall.Answer)
        /// It went on after a statement that had failed: it must run again, with a savepoint before each statement.
        case wentOn
        /// PostgreSQL asks for another run, or the connection is gone.
        case broken(PostgresError)
    }

    /// Runs the body of a call.
    ///
    /// - Parameter defers: whether statements of ``send(_:_:)`` wait. An error of theirs is found in another run, without that.
    func run(_ call: PendingCall, carefully isCareful: Bool, deferring defers: Bool = false) -> Outcome {
        (self.isCareful, self.defers, hasGoneOn) = (isCareful, defers, false)
        let (succeeded, answer) = call.run(self)
        guard let failure else { return succeeded ? .succeeded(answer: answer) : .failed(answer: answer) }
        if failure.cause == .lost || failure.isWorthAnotherRun { return .broken(failure) }
        if hasDeferred && !failure.isLockTimeout { return .wentOn }
        // One that has swallowed the error of its last statement goes on by returning.
        return hasGoneOn || succeeded ? .wentOn : .failed(answer: answer)
    }
}
