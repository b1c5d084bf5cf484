/// The storage as the stores see it: portable SQL in, rows out. SQLite is behind it, PostgreSQL can be.
///
/// Bodies are synchronous and short, a few statements each. They run on the storage's own threads, never on an event loop, and
/// must do nothing but talk to the connection they are given: no waiting, no network.
public protocol Database: Sendable {
    /// Runs `body` on one consistent snapshot that holds every write acknowledged before the call.
    ///
    /// - Throws: what `body` throws, or ``DatabaseFailure``.
    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

    /// Runs `body` as one transaction: all of it or, when it throws, nothing of it. On return it is durable.
    ///
    /// Concurrent writes share one commit, yet each keeps its own result, and none is answered before the commit.
    /// - Throws: what `body` throws, or ``DatabaseFailure``.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

    /// Succeeds when the database can be reached, is still the one that was opened, and has exactly our migrations.
    func checkReady() async throws(DatabaseFailure)

    /// Lets what is waiting finish, then closes. Later calls throw ``DatabaseFailure/unavailable(_:)``.
    func close() async
}

/// A connection inside a `read` or `write`. Valid only during that call.
public protocol SQLConnection {
    /// Runs one statement and returns its rows. `:name` in the SQL stands for `values["name"]`; each must be given.
    func query(_ sql: String, _ values: [String: SQLValue]) throws(DatabaseFailure) -> [SQLRow]

    /// Runs one statement and returns how many rows it inserted, updated or deleted.
    @discardableResult
    func execute(_ sql: String, _ values: [String: SQLValue]) throws(DatabaseFailure) -> Int
}

extension SQLConnection {
    /// ``query(_:_:)`` without values.
    public func query(_ sql: String) throws(DatabaseFailure) -> [SQLRow] { try query(sql, [:]) }

    /// ``execute(_:_:)`` without values.
    @discardableResult
    public func execute(_ sql: String) throws(DatabaseFailure) -> Int { try execute(sql, [:]) }
}
