import SSOShared
package import Storage

/// Copies all rows of a program's tables from one database into another, and compares both.
///
/// The engines bound it by a transaction on each side: after an error the target is as it was.
package struct DatabaseCopy: Sendable {
    /// How many rows are read at once.
    private static let slice = 1_000
    /// How many rows one statement writes. SQLite takes 32,766 values in one, PostgreSQL 65,535.
    private static let group = 100

    /// Every table of the program but that of the migrations.
    let tables: [String]

    package init(tables: [String]) { self.tables = tables }

    /// - Returns: what both sides have, by table.
    /// - Throws: ``DatabaseError/refused(_:)`` when a side has other tables, the target has rows, a value does not fit its column,
    ///   or the sides differ after the copy.
    package func run(
        from source: any CopyConnection, to target: any CopyConnection
    ) throws(DatabaseError) -> [CopiedTable] {
        let expected = Set(tables + ["schema_migration"])
        for (side, connection) in [("source", source), ("target", target)] {
            if let name = try connection.tables().symmetricDifference(expected).sorted().first {
                throw .refused("the table \(name) of the \(side) is not ours, or is missing. Name another database.")
            }
        }
        for table in tables {
            guard try target.query("SELECT 1 AS n FROM \(table) LIMIT 1").isEmpty else {
                throw .refused("the target is not empty: it has rows in \(table). Name a new database.")
            }
        }
        var copied: [CopiedTable] = []
        for name in tables { copied.append(try copy(try CopyTable(name, source, target), source, target)) }
        return copied
    }

    private func copy(
        _ table: CopyTable, _ source: any CopyConnection, _ target: any CopyConnection
    ) throws(DatabaseError) -> CopiedTable {
        try table.checkTypes(source)
        let before = try read(table, from: source) { rows throws(DatabaseError) in
            var rest = rows[...]
            while !rest.isEmpty {
                let group = rest.prefix(rest.count >= Self.group ? Self.group : 1)
                try table.insert(group, into: target)
                rest = rest.dropFirst(group.count)
            }
        }
        let after = try read(table, from: target) { _ in }
        guard before == after else {
            throw .refused("the table \(table.name) differs after the copy. Nothing was kept. Please report this.")
        }
        return CopiedTable(name: table.name, source: before, target: after)
    }

    /// Reads all rows in slices, each after the last key of the one before.
    private func read(
        _ table: CopyTable, from connection: any CopyConnection, _ use: ([[SQLValue]]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> CopiedTable.Content {
        var (hash, last): (RowsHash, [SQLValue]?) = (RowsHash(), nil)
        while true {
            let rows = try table.rows(after: last, limit: Self.slice, connection)
            for row in rows { hash.add(row) }
            try use(rows)
            guard rows.count == Self.slice else { return hash.content }
            last = rows.last
        }
    }
}

/// The number of some rows, and the sum of their SHA-256 hashes: equal for the same rows in any order.
struct RowsHash {
    private var count = 0
    private var sum: [UInt64] = [0, 0, 0, 0]

    /// Takes a row, whose values are in the same order on both sides.
    mutating func add(_ row: [SQLValue]) {
        var bytes: [UInt8] = []
        for value in row {
            // Type and length come first, so that no two rows have the same bytes.
            switch value {
            case .null: bytes.append(0)
            case .integer(let integer):
                bytes.append(1)
                withUnsafeBytes(of: integer.bigEndian) { bytes += $0 }
            case .text(let text): Self.append(2, Array(text.utf8), to: &bytes)
            case .blob(let blob): Self.append(3, blob, to: &bytes)
            }
        }
        count += 1
        for (index, byte) in SHA256.hash(bytes).enumerated() {
            sum[index / 8] &+= UInt64(byte) << UInt64(8 * (7 - index % 8))
        }
    }

    private static func append(_ type: UInt8, _ value: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(type)
        withUnsafeBytes(of: UInt64(value.count).bigEndian) { bytes += $0 }
        bytes += value
    }

    var content: CopiedTable.Content {
        let digits = sum.map { lane in
            let text = String(lane, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return CopiedTable.Content(rows: count, hash: digits.joined())
    }
}
