import Foundation
import GRDB

/// ``SQLConnection`` over one GRDB connection, valid on that connection's queue only.
final class SQLiteConnection: SQLConnection {
    private let db: GRDB.Database

    /// The first failure of the connection itself (disk full, I/O). A body may swallow the error it was given, but SQLite may have
    /// rolled back everything by then: the transaction around it must not commit.
    private(set) var breakdown: DatabaseFailure?

    init(_ db: GRDB.Database) { self.db = db }

    func query(_ sql: String, _ values: [String: SQLValue]) throws(DatabaseFailure) -> [SQLRow] {
        do {
            let statement = try statement(sql, values)
            let columns = statement.columnNames
            let cursor = try Row.fetchCursor(statement)
            var rows: [SQLRow] = []
            while let row = try cursor.next() {
                rows.append(SQLRow(columns: columns, values: row.databaseValues.map(SQLValue.init)))
            }
            return rows
        } catch {
            throw note(error)
        }
    }

    func execute(_ sql: String, _ values: [String: SQLValue]) throws(DatabaseFailure) -> Int {
        do {
            let before = db.totalChangesCount
            try statement(sql, values).execute()
            return db.totalChangesCount - before
        } catch {
            throw note(error)
        }
    }

    /// A cached statement with its values bound.
    private func statement(_ sql: String, _ values: [String: SQLValue]) throws -> Statement {
        let statement = try db.cachedStatement(sql: sql)
        try statement.setArguments(StatementArguments(values.map { ($0.key, try $0.value.bound()) }))
        return statement
    }

    private func note(_ error: any Error) -> DatabaseFailure {
        let failure = DatabaseFailure(sqlite: error)
        if case .unavailable = failure, breakdown == nil { breakdown = failure }
        return failure
    }
}

extension SQLValue {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let integer): self = .integer(integer)
        // Only an expression over foreign data could give one. The reader of the column gets a type error then.
        case .double(let double): self = .text("\(double)")
        case .string(let text): self = .text(text)
        case .blob(let data): self = .blob([UInt8](data))
        }
    }

    /// SQLite would cut a text at its first NUL byte, and `a@x.example\0@evil.example` would become another's address.
    fileprivate func bound() throws(DatabaseFailure) -> DatabaseValue {
        switch self {
        case .null: return .null
        case .integer(let integer): return integer.databaseValue
        case .text(let text):
            guard !text.utf8.contains(0) else { throw .misuse("a text value holds a NUL byte") }
            return text.databaseValue
        case .blob(let bytes): return Data(bytes).databaseValue
        }
    }
}
