public import Storage

extension SQLValue {
    /// A point in time as milliseconds since 1970.
    public static func timestamp(_ moment: Timestamp) -> SQLValue { .integer(moment.milliseconds) }

    /// The same; NULL for nil.
    public static func optional(_ moment: Timestamp?) -> SQLValue { moment.map(timestamp) ?? .null(.integer) }
}

extension SQLColumns {
    /// The point in time in `column`, which holds milliseconds since 1970. NULL throws.
    public func timestamp(_ column: String) throws(DatabaseError) -> Timestamp {
        Timestamp(milliseconds: try integer(column))
    }

    /// The same, nil for NULL.
    public func optionalTimestamp(_ column: String) throws(DatabaseError) -> Timestamp? {
        try optionalInteger(column).map { Timestamp(milliseconds: $0) }
    }
}
