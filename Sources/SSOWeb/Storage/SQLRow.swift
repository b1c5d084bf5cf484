/// One row of an answer, read by column name.
///
/// A column that is missing or of another type is a mistake in the statement, hence ``DatabaseFailure/misuse(_:)``.
public struct SQLRow: Sendable {
    private let columns: [String]
    private let values: [SQLValue]

    init(columns: [String], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    /// The whole number in `column`. NULL throws.
    public func integer(_ column: String) throws(DatabaseFailure) -> Int64 {
        guard let value = try optionalInteger(column) else { throw .misuse("column \(column) is NULL") }
        return value
    }

    /// The text in `column`. NULL throws.
    public func text(_ column: String) throws(DatabaseFailure) -> String {
        guard let value = try optionalText(column) else { throw .misuse("column \(column) is NULL") }
        return value
    }

    /// The bytes in `column`. NULL throws.
    public func blob(_ column: String) throws(DatabaseFailure) -> [UInt8] {
        guard let value = try optionalBlob(column) else { throw .misuse("column \(column) is NULL") }
        return value
    }

    /// The whole number in `column`, nil for NULL.
    public func optionalInteger(_ column: String) throws(DatabaseFailure) -> Int64? {
        switch try value(column) {
        case .null: return nil
        case .integer(let integer): return integer
        default: throw .misuse("column \(column) is not an integer")
        }
    }

    /// The text in `column`, nil for NULL.
    public func optionalText(_ column: String) throws(DatabaseFailure) -> String? {
        switch try value(column) {
        case .null: return nil
        case .text(let text): return text
        default: throw .misuse("column \(column) is not text")
        }
    }

    /// The bytes in `column`, nil for NULL.
    public func optionalBlob(_ column: String) throws(DatabaseFailure) -> [UInt8]? {
        switch try value(column) {
        case .null: return nil
        case .blob(let bytes): return bytes
        default: throw .misuse("column \(column) is not a blob")
        }
    }

    private func value(_ column: String) throws(DatabaseFailure) -> SQLValue {
        guard let index = columns.firstIndex(of: column) else { throw .misuse("no column \(column) in the answer") }
        return values[index]
    }
}
