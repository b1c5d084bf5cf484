package import Storage

/// The rows of a database of the programs, by their owner, as tests look at them and change them:
/// `deployment.stored.emails.unsent.count()`.
///
/// A test says what it looks at and has no SQL: only this target names columns.
package struct StoredRows: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// How many rows a table has.
    package func count(of table: String) async throws -> Int {
        try await database.read { Int(try $0.query("SELECT COUNT(*) AS n FROM \"\(table)\"")[0].integer("n")) }
    }

    /// The rows of a table as text, each with its values.
    package func texts(of table: String) async throws -> [String] {
        try await database.read { connection in
            try connection.query("SELECT * FROM \"\(table)\"").map { row in
                row.values.map { value in
                    switch value {
                    case .text(let text): text
                    case .integer(let integer): String(integer)
                    case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
                    case .null, nil: "NULL"
                    }
                }.joined(separator: "\n")
            }
        }
    }

    /// Deletes every row of these tables.
    package func deleteAll(of tables: String...) async throws {
        for table in tables { try await change(["DELETE FROM \(table)"]) }
    }

    /// Executes these statements in one transaction.
    func change(_ statements: [String]) async throws {
        try await database.write { connection in for sql in statements { try connection.execute(sql) } }
    }

    func rows<Table>() -> TableRows<Table> { TableRows(database: database) }
}

extension Database {
    /// The rows of this database, by their owner.
    package var stored: StoredRows { StoredRows(self) }
}
