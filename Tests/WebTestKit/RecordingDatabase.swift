import Storage
import Synchronization

/// A database that records every statement on its way to a real one.
final class RecordingDatabase: Database {
    /// A statement with normalised white space, and the types of the values it was run with.
    struct Statement: Sendable, Hashable {
        let sql: String
        let types: [String: SQLType]

        init(_ sql: String, _ values: SQLArguments) {
            self.sql = Self.normalised(sql)
            types = Dictionary(uniqueKeysWithValues: values.pairs.map { ($0, $1.type) })
        }

        static func normalised(_ sql: String) -> String {
            sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    private let real: any Database
    private let notes = Mutex<[Statement]>([])
    private let writes = Mutex(0)
    private let failing = Mutex(false)

    private let readsAtOnce: Bool
    private let limits: (writes: Int, statements: Int)

    /// - Parameters:
    ///   - readsAtOnce: whether what can be read at once is. Otherwise the same statements run in each test.
    ///   - writes: further ones fail, as in a process that has died.
    ///   - statements: a write with more of them fails, as one that lasts too long does on PostgreSQL.
    init(_ real: any Database, readsAtOnce: Bool = false, writes: Int = .max, statements: Int = .max) {
        (self.real, self.readsAtOnce, limits) = (real, readsAtOnce, (writes, statements))
    }

    /// Whether every read fails, as one that lasts too long does on PostgreSQL.
    var failsReads: Bool {
        get { failing.withLock { $0 } }
        set { failing.withLock { $0 = newValue } }
    }

    /// How many transactions have written.
    var transactions: Int { writes.withLock { $0 } }

    /// The statements since the last call, in order, with normalised white space.
    func takeStatements() -> [String] { takeTypedStatements().map(\.sql) }

    /// The same with the types of their values.
    func takeTypedStatements() -> [Statement] {
        notes.withLock { notes in
            defer { notes = [] }
            return notes
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        guard !failsReads else { throw DatabaseError.unavailable("the read lasts too long") }
        return try await real.read { try body(Connection(real: $0, owner: self)) }
    }

    func readAtOnce<T>(_ body: (any SQLConnection) throws -> T?) throws -> T? {
        guard readsAtOnce else { return nil }
        return try real.readAtOnce { try body(Connection(real: $0, owner: self)) }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let number = writes.withLock { writes in
            writes += 1
            return writes
        }
        guard number <= limits.writes else { throw DatabaseError.unavailable("the process has died") }
        return try await real.write { [self] in
            let before = notes.withLock(\.count)
            let result = try body(Connection(real: $0, owner: self))
            guard notes.withLock(\.count) - before <= limits.statements else {
                throw DatabaseError.unavailable("the transaction lasts too long")
            }
            return result
        }
    }

    func checkReady() async throws(DatabaseError) { try await real.checkReady() }
    func close() async { await real.close() }

    private func note(_ sql: String, _ values: SQLArguments) {
        notes.withLock { $0.append(Statement(sql, values)) }
    }

    private struct Connection: SQLConnection {
        let real: any SQLConnection
        let owner: RecordingDatabase

        func afterCommit(_ action: @escaping CommitAction) { real.afterCommit(action) }

        func query(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> [SQLRow] {
            owner.note(sql, values)
            return try real.query(sql, values)
        }

        func forEachRow(_ sql: String, _ values: SQLArguments, _ body: (any SQLColumns) throws -> Void) throws {
            owner.note(sql, values)
            try real.forEachRow(sql, values, body)
        }

        func execute(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> Int {
            owner.note(sql, values)
            return try real.execute(sql, values)
        }
    }
}

extension SQLValue {
    /// The type of the column that the value is for.
    fileprivate var type: SQLType {
        switch self {
        case .null(let type): type
        case .integer: .integer
        case .text: .text
        case .blob: .blob
        }
    }
}
