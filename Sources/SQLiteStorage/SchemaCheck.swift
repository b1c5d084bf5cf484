import Storage

/// Whether a database has exactly the tables and indexes that its steps make.
///
/// A trigger or a view in a file that somebody else could write runs inside our own statements, and a further index can make
/// them fail.
struct SchemaCheck: Sendable {
    private struct Entry: Hashable {
        let type, name, table: String
    }

    private let expected: [Entry: String]

    /// - Parameter migrations: the steps of the database to check, from the first one on.
    init(_ migrations: ArraySlice<Migration>) throws {
        let model = try SQLiteHandle(path: ":memory:", .readWrite)
        try Migrator(migrations: Array(migrations)).apply(from: 0, on: .sqlite, SQLiteConnection(model))
        expected = try Self.entries(model)
    }

    /// What is there and should not be, what is missing, and what differs; one name each.
    func differences(_ handle: SQLiteHandle) throws -> [String] {
        let found = try Self.entries(handle)
        let foreign = found.keys.filter { expected[$0] == nil }.map { "\($0.type) \($0.name) is not ours" }
        let changed = expected.compactMap { entry, sql -> String? in
            guard let own = found[entry] else { return "\(entry.type) \(entry.name) is missing" }
            return own == sql ? nil : "\(entry.type) \(entry.name) is changed"
        }
        return (foreign + changed).sorted()
    }

    private static func entries(_ handle: SQLiteHandle) throws -> [Entry: String] {
        // The tables of ANALYZE hold numbers for the planner and nothing else.
        var entries: [Entry: String] = [:]
        try SQLiteConnection(handle).forEachRow(
            """
            SELECT type, name, tbl_name, COALESCE(sql, '') AS sql FROM sqlite_schema
             WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))
            """, [:]
        ) { row in
            let entry = Entry(type: try row.text("type"), name: try row.text("name"), table: try row.text("tbl_name"))
            entries[entry] = normalised(try row.text("sql"))
        }
        return entries
    }

    /// The text without what versions of SQLite and of this program write differently: white space, and quotes of names.
    static func normalised(_ sql: String) -> String {
        let words = sql.filter { $0 != "\"" }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return ["(", ")", ","].reduce(words) {
            $0.replacing("\($1) ", with: $1).replacing(" \($1)", with: $1)
        }
    }
}
