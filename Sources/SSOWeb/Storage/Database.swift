/// The storage as the stores see it: portable SQL in, rows out. SQLite is the implementation today; PostgreSQL can follow.
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

    /// Succeeds when the database can be reached, accepts a commit, is still the one that was opened, and has our migrations.
    func checkReady() async throws(DatabaseError)

    /// Finishes the calls that wait, then closes. Later calls throw ``DatabaseError/unavailable(_:)``.
    func close() async
}

/// A connection inside a `read` or `write`. Valid only during that call.
public protocol SQLConnection {
    /// Runs one statement and returns its rows. `:name` in the SQL stands for `values["name"]`. Every name needs a value.
    func query(_ sql: String, _ values: [String: SQLValue]) throws(DatabaseError) -> [SQLRow]

    /// Runs one statement and returns how many rows it inserted, updated or deleted.
    @discardableResult
    func execute(_ sql: String, _ values: [String: SQLValue]) throws(DatabaseError) -> Int
}

extension SQLConnection {
    /// ``query(_:_:)`` without values.
    public func query(_ sql: String) throws(DatabaseError) -> [SQLRow] { try query(sql, [:]) }

    /// ``execute(_:_:)`` without values.
    @discardableResult
    public func execute(_ sql: String) throws(DatabaseError) -> Int { try execute(sql, [:]) }
}
