/// The type of a column.
public enum SQLType: Sendable, Hashable { case integer, text, blob }

/// A value that goes into a statement or comes out of a row: the kinds that SQLite and PostgreSQL share.
///
/// There is no floating point: times are whole seconds or milliseconds.
public enum SQLValue: Sendable, Hashable {
    /// NULL for a column of this type. PostgreSQL cannot find the type of a bare NULL in every place.
    case null(SQLType)
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// The text, or NULL.
    public static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null(.text) }

    /// The number, or NULL.
    public static func optional(_ integer: Int64?) -> SQLValue { integer.map(SQLValue.integer) ?? .null(.integer) }

    /// The bytes, or NULL.
    public static func optional(_ blob: [UInt8]?) -> SQLValue { blob.map(SQLValue.blob) ?? .null(.blob) }
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(value) }
}

/// Prints the kind alone: values are digests, addresses and sessions, and must not reach a log.
extension SQLValue: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer: "<integer>"
        case .text: "<text>"
        case .blob: "<blob>"
        }
    }

    public var debugDescription: String { description }
}

/// One row of a result, read by column name.
///
/// Throws ``DatabaseError/misuse(_:)`` for a column that is missing or has another type: the statement is wrong.
public protocol SQLColumns {
    /// The value in `column`, nil for NULL.
    ///
    /// - Throws: `misuse` for a column that is missing.
    func value(_ column: String) throws(DatabaseError) -> SQLValue?
}

extension SQLColumns {
    /// The whole number in `column`. NULL throws.
    public func integer(_ column: String) throws(DatabaseError) -> Int64 {
        guard let integer = try optionalInteger(column) else { throw .null(column) }
        return integer
    }

    /// The text in `column`. NULL throws.
    public func text(_ column: String) throws(DatabaseError) -> String {
        guard let text = try optionalText(column) else { throw .null(column) }
        return text
    }

    /// The bytes in `column`. NULL throws.
    public func blob(_ column: String) throws(DatabaseError) -> [UInt8] {
        guard let bytes = try optionalBlob(column) else { throw .null(column) }
        return bytes
    }

    /// The whole number in `column`, nil for NULL.
    public func optionalInteger(_ column: String) throws(DatabaseError) -> Int64? {
        switch try value(column) {
        case nil: nil
        case .integer(let integer)?: integer
        default: throw .misuse("column \(column) is not an integer")
        }
    }

    /// The text in `column`, nil for NULL.
    public func optionalText(_ column: String) throws(DatabaseError) -> String? {
        switch try value(column) {
        case nil: nil
        case .text(let text)?: text
        default: throw .misuse("column \(column) is not text")
        }
    }

    /// The bytes in `column`, nil for NULL.
    public func optionalBlob(_ column: String) throws(DatabaseError) -> [UInt8]? {
        switch try value(column) {
        case nil: nil
        case .blob(let bytes)?: bytes
        default: throw .misuse("column \(column) is not a blob")
        }
    }
}

/// One row that was read as a whole, for the places where it leaves the call.
public struct SQLRow: SQLColumns, Sendable {
    private let columns: [String]
    /// In the order of the statement. Nil is NULL.
    package let values: [SQLValue?]

    /// A row with these columns. A value that is nil is NULL: a result does not always know the type of one.
    package init(columns: [String], values: [SQLValue?]) {
        self.columns = columns
        self.values = values
    }

    public func value(_ column: String) throws(DatabaseError) -> SQLValue? {
        guard let index = columns.firstIndex(of: column) else { throw .missing(column) }
        return values[index]
    }
}

extension DatabaseError {
    /// A column that the statement does not return.
    package static func missing(_ column: String) -> DatabaseError { .misuse("no column \(column) in the result") }

    fileprivate static func null(_ column: String) -> DatabaseError { .misuse("column \(column) is NULL") }
}
