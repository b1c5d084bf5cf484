/// A value that goes into a statement or comes out of a row: the four kinds SQLite and PostgreSQL share.
///
/// There is no floating point on purpose: times are whole seconds or milliseconds, and nothing else here is measured.
public enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// The text, or NULL.
    public static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }

    /// The number, or NULL.
    public static func optional(_ integer: Int64?) -> SQLValue { integer.map(SQLValue.integer) ?? .null }

    /// The bytes, or NULL.
    public static func optional(_ blob: [UInt8]?) -> SQLValue { blob.map(SQLValue.blob) ?? .null }
}

extension SQLValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(nilLiteral: ()) { self = .null }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(value) }
}

/// Values are digests, addresses and sessions: a log line shows their kind alone.
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
