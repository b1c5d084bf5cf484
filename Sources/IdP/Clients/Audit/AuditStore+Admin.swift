package import SSOWeb
package import Storage

/// What admin pages read of the audit log.
extension AuditStore {
    /// Rows of some events from a moment on, the oldest first.
    package static func rows(
        of events: [String], since: Timestamp, limit: Int, _ connection: any SQLConnection
    ) throws -> [AuditEntry] {
        var values: SQLArguments = ["since": .blob(AuditID.prefix(of: since)), "limit": .integer(Int64(limit))]
        for (index, event) in events.enumerated() { values["event\(index)"] = .text(event) }
        let names = events.indices.map { ":event\($0)" }.joined(separator: ", ")
        return try connection.rows(
            """
            SELECT \(AuditEntry.columns) FROM audit_event
             WHERE id >= :since AND event IN (\(names)) AND occurrences IS NULL ORDER BY id LIMIT :limit
            """, values, AuditEntry.init)
    }

    package static func row(_ id: [UInt8], _ connection: any SQLConnection) throws -> AuditEntry? {
        try connection.rows(
            "SELECT \(AuditEntry.columns) FROM audit_event WHERE id = :id", ["id": .blob(id)], AuditEntry.init
        ).first
    }

    /// A page of rows, the newest first.
    ///
    /// - Parameter before: the id of the last row of the page before.
    package static func newest(
        _ search: AuditSearch, before: [UInt8]?, limit: Int, _ connection: any SQLConnection
    ) throws -> [AuditEntry] {
        var (conditions, values) = search.conditions
        conditions.append("id >= :since AND id < :before")
        let until = search.until.map(AuditID.prefix) ?? [UInt8](repeating: 0xff, count: 17)
        values["since"] = .blob(AuditID.prefix(of: search.since ?? Timestamp(milliseconds: 0)))
        values["before"] = .blob(before.map { until.lexicographicallyPrecedes($0) ? until : $0 } ?? until)
        values["maximum"] = .integer(maximumRowsPerHour)
        values["limit"] = .integer(Int64(limit))
        return try connection.rows(
            """
            SELECT \(AuditEntry.columns) FROM audit_event
             WHERE \(conditions.joined(separator: " AND ")) AND (occurrences IS NULL OR occurrences > :maximum)
             ORDER BY id DESC LIMIT :limit
            """, values, AuditEntry.init)
    }
}

extension AuditStore {
    /// The rows of a flow, as the log calls it, the newest first.
    package static func rows(
        ofFlow flow: String, limit: Int, _ connection: any SQLConnection
    ) throws -> [AuditEntry] {
        try connection.rows(
            "SELECT \(AuditEntry.columns) FROM audit_event WHERE flow = :flow ORDER BY id DESC LIMIT :limit",
            ["flow": .text(flow), "limit": .integer(Int64(limit))], AuditEntry.init)
    }
}
