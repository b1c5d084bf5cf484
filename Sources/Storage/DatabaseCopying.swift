/// A column, as a copy between two databases sees it.
package struct CopiedColumn: Sendable, Equatable {
    package let name: String
    package let type: SQLType
    /// The place in the primary key, from 1 on; 0 for a column outside of it.
    package let keyPlace: Int
    /// Whether the column takes whole numbers of four bytes alone. SQLite's take eight, whatever the type is called.
    package let isShort: Bool

    package init(name: String, type: SQLType, keyPlace: Int, isShort: Bool) {
        (self.name, self.type, self.keyPlace, self.isShort) = (name, type, keyPlace, isShort)
    }

    /// The type by its name in a `CREATE TABLE` of ours, nil for an unknown one.
    package static func type(named name: String) -> SQLType? {
        switch name.uppercased() {
        case "INTEGER", "BIGINT": .integer
        case "TEXT": .text
        case "BLOB", "BYTEA": .blob
        default: nil
        }
    }
}

/// One of the two databases of a copy. Nobody else uses it, and all of it is one transaction.
package protocol CopyConnection: SQLConnection {
    /// The tables that are there, without those that the engine has for itself.
    func tables() throws(DatabaseError) -> Set<String>

    /// The columns of a table, in the table's order.
    func columns(of table: String) throws(DatabaseError) -> [CopiedColumn]

    /// How a statement reads a column byte for byte: a text may come as a blob.
    func expression(for column: CopiedColumn) -> String

    /// A condition that holds for values which the type of the column does not allow; nil where the engine takes none.
    func misfit(of column: CopiedColumn) -> String?
}

extension CopyConnection {
    /// The names that a statement finds.
    package func names(_ sql: String) throws(DatabaseError) -> Set<String> {
        var names: Set<String> = []
        for row in try query(sql, [:]) { names.insert(try row.text("name")) }
        return names
    }

    /// The columns of a table, by a statement that finds their `name`, `type` and `place`.
    ///
    /// - Parameter isShort: whether a type takes whole numbers of four bytes alone.
    package func columns(
        of table: String, _ sql: String, isShort: (_ type: String) -> Bool = { _ in false }
    ) throws(DatabaseError) -> [CopiedColumn] {
        var columns: [CopiedColumn] = []
        for row in try query(sql, ["name": .text(table)]) {
            let (name, typeName) = (try row.text("name"), try row.text("type"))
            guard let type = CopiedColumn.type(named: typeName) else {
                throw .misuse("\(table).\(name) has the type \(typeName)")
            }
            columns.append(
                CopiedColumn(
                    name: name, type: type, keyPlace: Int(try row.integer("place")), isShort: isShort(typeName)))
        }
        return columns
    }
}

/// What a copy has found and left in one table.
package struct CopiedTable: Sendable, Equatable {
    /// The rows of a table: how many there are, and a hash that does not depend on their order.
    package struct Content: Sendable, Equatable {
        package let rows: Int
        package let hash: String

        package init(rows: Int, hash: String) { (self.rows, self.hash) = (rows, hash) }
    }

    package let name: String
    package let source, target: Content

    package init(name: String, source: Content, target: Content) {
        (self.name, self.source, self.target) = (name, source, target)
    }
}

/// What is done between the two databases of a copy.
package typealias CopyBody = (any CopyConnection) throws(DatabaseError) -> [CopiedTable]

/// What became of the source of a copy.
package enum CopiedSource: Sendable, Equatable {
    /// It is marked as moved.
    case marked
    /// It goes on as it was, as the caller wished.
    case kept
    /// It could not be marked, for this reason.
    case unmarked(String)
}
