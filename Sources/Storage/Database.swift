/// The storage as the stores see it: portable SQL in, rows out. `SQLiteStorage` and `PostgresStorage` implement it.
///
/// A body may assume:
/// - A read sees one consistent snapshot. It holds every write that returned before the call.
/// - Writes are serialisable: the result is as if they had run one after another. A body may read, decide and then write.
///
/// A body must keep these rules:
/// - It has no side effects and depends on nothing that a run changes: it may run again after its first run was rolled back.
/// - It is synchronous and short, a few statements. It runs on a thread of the storage, so it must not wait for
///   anything but its connection.
public protocol Database: Sendable {
    /// Runs `body` on one consistent snapshot.
    ///
    /// - Throws: what `body` throws, or ``DatabaseError``.
    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

    /// Runs `body` as one transaction. When `body` throws, nothing of it is kept. On return the changes are durable.
    ///
    /// Concurrent writes may share one commit. Each keeps its own result, and none returns before the commit.
    /// - Throws: what `body` throws, or ``DatabaseError``.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

    /// As ``read(_:)``, at once on the calling thread: for a request that reads a few rows by their keys, which takes less time than
    /// waking another thread. Nil where it would have to wait, or where `body` returns nil: ask ``read(_:)`` or ``write(_:)`` then.
    func readAtOnce<T>(_ body: (any SQLConnection) throws -> T?) throws -> T?

    /// Succeeds when the database can be reached, accepts a commit, is still the one that was opened, and has a schema that
    /// this version's statements fit.
    func checkReady() async throws(DatabaseError)

    /// Finishes the calls that wait, then closes. Later calls throw ``DatabaseError/unavailable(_:)``.
    func close() async
}

extension Database {
    /// Nil: what answers over a network has to be waited for.
    public func readAtOnce<T>(_ body: (any SQLConnection) throws -> T?) throws -> T? { nil }

    /// Closes the database after `body`, also when it throws.
    package func closing<T>(_ body: (any Database) async throws -> T) async throws -> T {
        do {
            let result = try await body(self)
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }
}

/// A connection inside a `read` or `write`. Valid only during that call.
public protocol SQLConnection {
    /// Runs one statement and returns its rows. `:name` in the SQL stands for `values["name"]`. Every name needs a value.
    func query(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> [SQLRow]

    /// Runs one statement and calls `body` at each row, which is valid only during that call. `body` may run other statements. When
    /// it throws, the rest of the rows is not read.
    func forEachRow(_ sql: String, _ values: SQLArguments, _ body: (any SQLColumns) throws -> Void) throws

    /// Runs one statement and returns how many rows it inserted, updated or deleted.
    @discardableResult
    func execute(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> Int

    /// Runs one statement whose outcome the body does not look at. PostgreSQL gets it together with the next statement, or with
    /// the commit. It fails as with ``execute(_:_:)``: at the latest in another run of the body.
    func send(_ sql: String, _ values: SQLArguments) throws(DatabaseError)

    /// Acts once after the commit of a ``Database/write(_:)``, for what the body must not do itself because it may run again: only
    /// what its last run has asked for happens, and nothing when the transaction was rolled back. The action runs in the task
    /// of the caller, before that has its result. In a ``Database/read(_:)`` it never runs.
    func afterCommit(_ action: @escaping CommitAction)
}

/// What is done once a transaction is over.
public typealias CommitAction = @Sendable (CommitOutcome) -> Void

/// What became of a commit.
public enum CommitOutcome: Sendable {
    case kept
    /// PostgreSQL gave no answer to the commit: the changes are kept, or not.
    case unknown
}

extension SQLConnection {
    /// ``query(_:_:)`` without values.
    public func query(_ sql: String) throws(DatabaseError) -> [SQLRow] { try query(sql, [:]) }

    /// Runs one statement and returns what `body` makes of each row, without a copy of the row:
    /// `connection.rows(sql, values) { row in try row.text("id") }`.
    public func rows<T>(
        _ sql: String, _ values: SQLArguments = [:], _ body: (any SQLColumns) throws -> T
    ) throws -> [T] {
        var results: [T] = []
        try forEachRow(sql, values) { results.append(try body($0)) }
        return results
    }

    public func send(_ sql: String, _ values: SQLArguments) throws(DatabaseError) { try execute(sql, values) }

    /// ``execute(_:_:)`` without values.
    @discardableResult
    public func execute(_ sql: String) throws(DatabaseError) -> Int { try execute(sql, [:]) }
}

/// An error of the storage. Its text never contains a bound value.
public enum DatabaseError: Error, Equatable, CustomStringConvertible {
    /// The storage cannot answer now: busy past the timeout, disk full, I/O error, file deleted, too many calls waiting.
    /// Nothing was written. Clients get 503, never a verdict about a token or a code.
    case unavailable(String)
    /// The same, and whether something was written is unknown: PostgreSQL gave no answer to a commit.
    case uncertain(String)
    /// A unique or foreign key, a CHECK or a NOT NULL constraint failed. The statement had no effect.
    case conflict(String)
    /// A mistake in our own SQL or in how it is called.
    case misuse(String)
    /// This version's statements do not fit the schema: a step of ours is missing, or a step of a newer version has removed
    /// what they use. Only from ``Database/checkReady()``.
    case schema(step: String)
    /// The database cannot be used. Only at start and in commands. One line with the path and what to do.
    case refused(String)
    /// As ``refused(_:)``, and no restart helps: the database lacks steps that this version does not have any more, or has moved.
    case outOfUse(String)

    public var description: String {
        switch self {
        case .unavailable(let reason): "database unavailable: \(reason)"
        case .uncertain(let reason): "database unavailable: whether the changes are kept is unknown: \(reason)"
        case .conflict(let reason): "database conflict: \(reason)"
        case .misuse(let reason): "database misuse: \(reason)"
        case .schema(let step): "database unavailable: the schema does not fit this version, see step \(step)"
        case .refused(let reason), .outOfUse(let reason): reason
        }
    }

    /// Whether the database cannot be used, whatever is asked of it.
    package var isRefusal: Bool {
        switch self {
        case .refused, .outOfUse: true
        default: false
        }
    }

    /// Whether nothing was written: false where nobody knows.
    package var isOutcomeKnown: Bool { if case .uncertain = self { false } else { true } }

    /// The same error for a caller outside the transaction: try again later, nothing was written.
    package var asUnavailable: DatabaseError {
        switch self {
        case .unavailable, .uncertain: self
        case .conflict(let words), .misuse(let words), .refused(let words), .outOfUse(let words): .unavailable(words)
        case .schema: .unavailable(description)
        }
    }
}
