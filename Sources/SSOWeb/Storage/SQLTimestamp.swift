extension SQLValue {
    /// A moment as milliseconds since 1970.
    public static func timestamp(_ moment: Timestamp) -> Self { .integer(moment.milliseconds) }
}

extension SQLRow {
    /// A moment from a column of milliseconds since 1970.
    public func timestamp(_ column: String) throws(DatabaseFailure) -> Timestamp {
        Timestamp(milliseconds: try integer(column))
    }
}
