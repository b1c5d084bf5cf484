import Storage

/// The tables, columns and unique indexes of a database, for the question whether the statements of an older version still
/// work after a step.
struct SchemaShape: Sendable {
    struct Column: Sendable, Equatable {
        let type: String
        let isRequired: Bool
        let hasDefault: Bool
        let keyPosition: Int64
        let isGenerated: Bool
        /// A row that does not name the column gets NULL.
        var isNullByDefault: Bool { !isRequired && !hasDefault }
    }

    struct Index: Sendable, Hashable {
        let columns: [String]
        let isPartial: Bool
    }

    struct Table: Sendable {
        var columns: [String: Column] = [:]
        var uniqueIndexes: Set<Index> = []
        /// Foreign keys and CHECKs.
        var rules = 0
    }

    let tables: [String: Table]
    let triggers: Set<String>

    init(_ connection: any SQLConnection) throws {
        var (tables, triggers) = ([String: Table](), Set<String>())
        for row in try connection.query("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'trigger')")
        {
            let name = try row.text("name")
            guard try row.text("type") == "table" else {
                triggers.insert(name)
                continue
            }
            guard !name.hasPrefix("sqlite_") else { continue }
            tables[name] = try Self.table(name, sql: row.optionalText("sql") ?? "", connection)
        }
        (self.tables, self.triggers) = (tables, triggers)
    }

    private static func table(_ name: String, sql: String, _ connection: any SQLConnection) throws -> Table {
        var table = Table()
        let values: SQLArguments = ["table": .text(name)]
        for row in try connection.query("SELECT * FROM pragma_table_xinfo(:table)", values) {
            table.columns[try row.text("name")] = Column(
                type: try row.text("type"), isRequired: try row.integer("notnull") != 0,
                hasDefault: try row.optionalText("dflt_value") != nil, keyPosition: try row.integer("pk"),
                isGenerated: try row.integer("hidden") != 0)
        }
        let indexes = try connection.query(
            "SELECT name, partial FROM pragma_index_list(:table) WHERE \"unique\" = 1", values)
        for index in indexes {
            // An index on an expression has columns without a name.
            let columns = try connection.query(
                "SELECT COALESCE(name, '(expression)') AS name FROM pragma_index_info(:index) ORDER BY seqno",
                ["index": .text(index.text("name"))])
            table.uniqueIndexes.insert(
                Index(columns: try columns.map { try $0.text("name") }, isPartial: try index.integer("partial") != 0))
        }
        table.rules =
            try connection.query("SELECT 1 FROM pragma_foreign_key_list(:table)", values).count
            + sql.uppercased().split(separator: "CHECK", omittingEmptySubsequences: false).count - 1
        return table
    }

    /// Why a statement that works on this schema may fail on `later`, one sentence each. Empty when `later` only adds:
    /// tables, indexes that are not unique, and columns that rows without them may have.
    ///
    /// It knows no statement, so it holds for every one that names its columns.
    func breaks(in later: SchemaShape) -> [String] {
        var breaks = later.triggers.subtracting(triggers).map { "trigger \($0) is new" }
        for (name, table) in tables {
            guard let other = later.tables[name] else {
                breaks.append("table \(name) is missing")
                continue
            }
            for (column, own) in table.columns where other.columns[column] != own {
                breaks.append("column \(name).\(column) is \(other.columns[column] == nil ? "missing" : "changed")")
            }
            let added = other.columns.filter { table.columns[$0.key] == nil }
            for (column, new) in added where new.isRequired && !new.hasDefault {
                breaks.append("column \(name).\(column) is required and has no default")
            }
            for index in table.uniqueIndexes.subtracting(other.uniqueIndexes) {
                breaks.append("unique index of \(name) on \(index.columns) is missing")
            }
            for index in other.uniqueIndexes.subtracting(table.uniqueIndexes)
            where !index.columns.contains(where: { added[$0]?.isNullByDefault == true }) {
                breaks.append("unique index of \(name) on \(index.columns) is new")
            }
            if other.rules > table.rules { breaks.append("table \(name) has a new rule for its rows") }
        }
        return breaks.sorted()
    }
}
