import CPostgres
import Storage

/// The numbers by which PostgreSQL names its types. Source: its catalogue `pg_type`.
enum PostgresType {
    static let (bool, bytea, name, bigint): (Oid, Oid, Oid, Oid) = (16, 17, 19, 20)
    static let (smallint, integer, text, oid): (Oid, Oid, Oid, Oid) = (21, 23, 25, 26)
    static let (unknown, bpchar, varchar, numeric): (Oid, Oid, Oid, Oid) = (705, 1042, 1043, 1700)
}

extension SQLValue {
    /// The type that a statement is prepared with.
    var postgresType: Oid {
        switch self {
        case .integer, .null(.integer): PostgresType.bigint
        case .text, .null(.text): PostgresType.text
        case .blob, .null(.blob): PostgresType.bytea
        }
    }
}

/// The values of one statement in PostgreSQL's binary form, in the order of its numbers.
struct PostgresParameters {
    let types: [Oid]
    private let bytes: [UInt8]
    /// Where each value ends in `bytes`; nil for NULL.
    private let ends: [Int?]

    /// - Parameter places: where the values stood among those of the last run, and where they stand now.
    /// - Throws: `misuse` for a name without a value, and for a text with a NUL byte, which PostgreSQL does not take.
    init(_ names: [String], _ places: inout [Int], _ values: SQLArguments) throws(DatabaseError) {
        var (types, bytes, ends): ([Oid], [UInt8], [Int?]) = ([], [], [])
        types.reserveCapacity(names.count)
        ends.reserveCapacity(names.count)
        for (index, name) in names.enumerated() {
            guard let place = values.place(of: name, near: places[index]) else {
                throw .misuse("no value for :\(name)")
            }
            places[index] = place
            let value = values.pairs[place].1
            types.append(value.postgresType)
            switch value {
            case .null:
                ends.append(nil)
                continue
            case .integer(let integer): withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
            case .text(let text):
                guard !text.utf8.contains(0) else { throw .misuse("a text value holds a NUL byte") }
                bytes.append(contentsOf: text.utf8)
            case .blob(let blob): bytes.append(contentsOf: blob)
            }
            ends.append(bytes.count)
        }
        (self.types, self.bytes, self.ends) = (types, bytes, ends)
    }

    /// Lets `body` read the values as libpq takes them. The pointers are valid during the call.
    func with<T>(
        _ body: (_ count: Int32, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> T
    ) -> T {
        // An empty value needs a pointer, too: nil would be NULL.
        let bytes = bytes.isEmpty ? [0] : bytes
        return bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            var (values, lengths): ([UnsafePointer<CChar>?], [Int32]) = ([], [])
            var begin = 0
            for end in ends {
                values.append(end == nil ? nil : start.map { $0 + begin })
                lengths.append(Int32((end ?? begin) - begin))
                begin = end ?? begin
            }
            return body(Int32(ends.count), values, lengths, [Int32](repeating: 1, count: ends.count))
        }
    }
}

/// What PostgreSQL has answered to one statement.
final class PostgresResult {
    private let handle: OpaquePointer

    /// Takes the result of libpq over.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var status: ExecStatusType { PQresultStatus(handle) }

    /// Why the statement has failed; nil unless it has.
    var error: PostgresError? {
        switch status {
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR: PostgresError(handle)
        default: nil
        }
    }

    /// The command, with the number of its rows: `UPDATE 1`, `COMMIT`.
    var command: String { String(cString: PQcmdStatus(handle)) }

    /// How many rows the statement has inserted, updated or deleted.
    var changedRows: Int {
        let command = command
        return command.hasPrefix("SELECT") ? 0 : Int(command.split(separator: " ").last ?? "") ?? 0
    }

    /// The names of the columns.
    var columns: [String] {
        (0..<PQnfields(handle)).map { PQfname(handle, $0).map { String(cString: $0) } ?? "" }
    }

    /// Calls `body` at each row. The columns have these names.
    func forEachRow(_ columns: [String], _ body: (any SQLColumns) throws -> Void) throws {
        let current = PostgresRow(self, columns)
        defer { current.row = nil }
        for row in 0..<PQntuples(handle) {
            current.row = row
            try body(current)
        }
    }

    /// The rows, whose columns have these names.
    func rows(_ columns: [String]) throws(DatabaseError) -> [SQLRow] {
        var rows: [SQLRow] = []
        rows.reserveCapacity(Int(PQntuples(handle)))
        for row in 0..<PQntuples(handle) {
            var values: [SQLValue?] = []
            values.reserveCapacity(columns.count)
            for column in 0..<Int32(columns.count) { values.append(try value(row, column)) }
            rows.append(SQLRow(columns: columns, values: values))
        }
        return rows
    }

    /// The texts of the only row of a statement that asks for text.
    var texts: [String?] {
        (0..<PQnfields(handle)).map { column in
            guard PQntuples(handle) > 0, PQgetisnull(handle, 0, column) == 0 else { return nil }
            return PQgetvalue(handle, 0, column).map { String(cString: $0) }
        }
    }

    fileprivate func value(_ row: Int32, _ column: Int32) throws(DatabaseError) -> SQLValue? {
        guard PQgetisnull(handle, row, column) == 0, let start = PQgetvalue(handle, row, column) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(handle, row, column)))
        switch PQftype(handle, column) {
        case PostgresType.bigint, PostgresType.integer, PostgresType.smallint:
            return .integer(Self.integer(bytes))
        case PostgresType.bool: return .integer(bytes.first == 0 ? 0 : 1)
        case PostgresType.text, PostgresType.varchar, PostgresType.name, PostgresType.unknown, PostgresType.bpchar:
            return .text(String(decoding: bytes, as: UTF8.self))
        case PostgresType.bytea: return .blob([UInt8](bytes))
        case PostgresType.numeric: return .integer(try Self.numeric(bytes))
        case let type: throw .misuse("a column has the type \(type), which the stores do not know")
        }
    }

    /// A whole number of two, four or eight bytes.
    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        var value: Int64 = (bytes.first ?? 0) > 127 ? -1 : 0
        for byte in bytes { value = value << 8 | Int64(byte) }
        return value
    }

    /// A sum of `BIGINT`s has the type `NUMERIC`: four head fields of two bytes, then digits to the base 10000.
    /// Source: `numeric_send` in PostgreSQL's numeric.c.
    private static func numeric(_ bytes: UnsafeRawBufferPointer) throws(DatabaseError) -> Int64 {
        func field(_ index: Int) -> Int64 {
            integer(UnsafeRawBufferPointer(rebasing: bytes[(2 * index)..<(2 * index + 2)]))
        }
        guard bytes.count >= 8, bytes.count == 8 + 2 * Int(field(0)) else { throw .misuse("a number cannot be read") }
        let (count, weight, isNegative) = (field(0), field(1), field(2) == 0x4000)
        guard isNegative || field(2) == 0, count <= weight + 1 else { throw .misuse("a number is not a whole one") }
        var (value, hasOverflown): (Int64, Bool) = (0, false)
        for place in 0..<(count == 0 ? 0 : weight + 1) {
            let digit = place < count ? field(4 + Int(place)) : 0
            let (product, first) = value.multipliedReportingOverflow(by: 10_000)
            let (sum, second) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            (value, hasOverflown) = (sum, hasOverflown || first || second)
        }
        guard !hasOverflown else { throw .misuse("a number is too large") }
        return value
    }
}

/// The current row of a result.
private final class PostgresRow: SQLColumns {
    private let result: PostgresResult
    private let columns: [String]
    /// Nil after the call.
    var row: Int32?

    init(_ result: PostgresResult, _ columns: [String]) { (self.result, self.columns) = (result, columns) }

    func value(_ column: String) throws(DatabaseError) -> SQLValue? {
        guard let row else { throw .misuse("a row was read after its call") }
        guard let index = columns.firstIndex(of: column) else { throw .missing(column) }
        return try result.value(row, Int32(index))
    }
}
