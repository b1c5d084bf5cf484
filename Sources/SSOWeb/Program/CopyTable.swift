import Storage

/// The statements by which one table is copied.
struct CopyTable {
    let name: String
    /// In the order of the source. `isShort` is that of the target.
    private let columns: [CopiedColumn]
    /// The places of the primary key's columns, in the key's order.
    private let key: [Int]

    /// - Throws: `refused` unless both sides have the same columns and primary key.
    init(_ name: String, _ source: any CopyConnection, _ target: any CopyConnection) throws(DatabaseError) {
        let targets = try target.columns(of: name)
        var columns: [CopiedColumn] = []
        for column in try source.columns(of: name) {
            guard let other = targets.first(where: { $0.name == column.name }), other.type == column.type,
                other.keyPlace == column.keyPlace
            else { throw Self.differs(name, column.name) }
            columns.append(other)
        }
        guard columns.count == targets.count else { throw Self.differs(name, "the number of columns") }
        self.name = name
        self.columns = columns
        key = columns.indices.filter { columns[$0].keyPlace > 0 }.sorted { columns[$0].keyPlace < columns[$1].keyPlace }
        guard !key.isEmpty else { throw .refused("the table \(name) has no primary key.") }
    }

    private static func differs(_ table: String, _ what: String) -> DatabaseError {
        .refused("the table \(table) is not the same on both sides: \(what). Name databases of this version.")
    }

    // MARK: - Reading

    /// Refuses values that the column's type does not allow. The source may keep them, the target may not take them.
    func checkTypes(_ source: any CopyConnection) throws(DatabaseError) {
        for column in columns {
            guard let condition = source.misfit(of: column) else { continue }
            let names = key.enumerated().map { "\(source.expression(for: columns[$1])) AS k\($0)" }
            let rows = try source.query(
                "SELECT \(names.joined(separator: ", ")) FROM \(name) WHERE \(condition) LIMIT 1")
            if let row = rows.first { throw misfit(column, key: row.values) }
        }
    }

    /// Up to `limit` rows behind the key of `last`, in the order of the key.
    func rows(
        after last: [SQLValue]?, limit: Int, _ connection: any CopyConnection
    ) throws(DatabaseError) -> [[SQLValue]] {
        let names = key.map { columns[$0].name }.joined(separator: ", ")
        var values: SQLArguments = ["limit": .integer(Int64(limit))]
        for (number, place) in key.enumerated() { values["k\(number)"] = last?[place] }
        let begin =
            last == nil ? "" : "WHERE (\(names)) > (\(key.indices.map { ":k\($0)" }.joined(separator: ", ")))"
        let read = columns.enumerated().map { "\(connection.expression(for: $1)) AS v\($0)" }
        let found = try connection.query(
            "SELECT \(read.joined(separator: ", ")) FROM \(name) \(begin) ORDER BY \(names) LIMIT :limit", values)
        var rows: [[SQLValue]] = []
        rows.reserveCapacity(found.count)
        for row in found { rows.append(try typed(row.values)) }
        return rows
    }

    /// The values of a row as their columns' types have them.
    private func typed(_ values: [SQLValue?]) throws(DatabaseError) -> [SQLValue] {
        var row: [SQLValue] = []
        row.reserveCapacity(columns.count)
        for (column, value) in zip(columns, values) {
            guard let value = Self.typed(value, column) else { throw misfit(column, key: key.map { values[$0] }) }
            row.append(value)
        }
        return row
    }

    private static func typed(_ value: SQLValue?, _ column: CopiedColumn) -> SQLValue? {
        switch (value, column.type) {
        case (nil, let type): .null(type)
        case (.integer(let integer), .integer):
            column.isShort && Int32(exactly: integer) == nil ? nil : .integer(integer)
        case (.text, .text), (.blob, .blob): value
        case (.blob(let bytes), .text): String(validating: bytes, as: UTF8.self).map(SQLValue.text)
        default: nil
        }
    }

    /// Never holds the value. The key says where it is.
    private func misfit(_ column: CopiedColumn, key values: [SQLValue?]) -> DatabaseError {
        let texts = zip(key, values).map { place, value in
            "\(columns[place].name)=\(columns[place] == column ? "(this value)" : Self.shown(value))"
        }
        let kind =
            switch column.type {
            case .integer: column.isShort ? "a whole number of 32 bits" : "a whole number"
            case .text: "text in UTF-8 without NUL"
            case .blob: "a blob"
            }
        return .refused(
            """
            the value of \(column.name) in the table \(name) is not \(kind), in the row \(texts.joined(separator: ", ")). \
            Correct or delete the row.
            """)
    }

    private static func shown(_ value: SQLValue?) -> String {
        switch value {
        case .integer(let integer): "\(integer)"
        case .text(let text): text
        case .blob(let bytes): String(validating: bytes, as: UTF8.self) ?? hex(bytes)
        case .null, nil: "NULL"
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    // MARK: - Writing

    /// Inserts rows by one statement.
    func insert(_ rows: ArraySlice<[SQLValue]>, into target: any CopyConnection) throws(DatabaseError) {
        var values: SQLArguments = [:]
        var groups: [String] = []
        for (number, row) in rows.enumerated() {
            var names: [String] = []
            for (place, value) in row.enumerated() {
                values.append("r\(number)c\(place)", value)
                names.append(":r\(number)c\(place)")
            }
            groups.append("(\(names.joined(separator: ", ")))")
        }
        let names = columns.map(\.name).joined(separator: ", ")
        let count = try target.execute(
            "INSERT INTO \(name) (\(names)) VALUES \(groups.joined(separator: ", "))", values)
        guard count == rows.count else { throw .refused("the table \(name) has not taken all rows.") }
    }
}
