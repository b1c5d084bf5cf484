package import SSOWeb
package import Storage

/// What admin pages read of the audit log.
extension AuditStore {
    /// Rows of some events after an id, or after the beginning of one, the oldest first.
    ///
    /// - Parameter some: of this event only rows with these causes.
    package static func rows(
        of events: [String], withCauses some: (event: String, causes: [String]), after id: [UInt8], limit: Int,
        _ connection: any SQLConnection
    ) throws -> [AuditEntry] {
        let (names, values) = Self.names(events)
        var more: SQLArguments = ["after": .blob(id), "limit": .integer(Int64(limit)), "some": .text(some.event)]
        for (index, cause) in some.causes.enumerated() { more["cause\(index)"] = .text(cause) }
        let causes = some.causes.indices.map { ":cause\($0)" }.joined(separator: ", ")
        return try connection.rows(
            """
            SELECT \(AuditEntry.columns) FROM audit_event
             WHERE id > :after AND \(names) AND occurrences IS NULL AND (event <> :some OR cause IN (\(causes)))
             ORDER BY id LIMIT :limit
            """, values.merging(more), AuditEntry.init)
    }

    /// The newest rows of some events since a moment, the newest first.
    ///
    /// - Parameter client: nil for those of all.
    package static func newest(
        of events: [String], client: String? = nil, since: Timestamp, limit: Int, _ connection: any SQLConnection
    ) throws -> [AuditEntry] {
        let names = Self.names(events).sql
        var values = Self.names(events).values
        if let client { values["client"] = .text(client) }
        return try connection.rows(
            """
            SELECT \(AuditEntry.columns) FROM audit_event
             WHERE id >= :since AND \(names) AND occurrences IS NULL
              \(client == nil ? "" : "AND client_id = :client") ORDER BY id DESC LIMIT :limit
            """,
            values.merging(["since": .blob(AuditID.prefix(of: since)), "limit": .integer(Int64(limit))]),
            AuditEntry.init)
    }

    /// What rows are counted by.
    package enum Part: String, Sendable { case cause, detail, client = "client_id" }

    /// How many rows of some events there are since a moment, by one of their texts. A row without it counts for its event.
    package static func counts(
        of events: [String], by part: Part, since: Timestamp, _ connection: any SQLConnection
    ) throws -> [String: Int] {
        let (names, values) = Self.names(events)
        return try connection.query(
            """
            SELECT COALESCE(\(part.rawValue), event) AS part, COUNT(*) AS rows FROM audit_event
             WHERE id >= :since AND \(names) AND occurrences IS NULL GROUP BY COALESCE(\(part.rawValue), event)
            """, values.merging(["since": .blob(AuditID.prefix(of: since))])
        ).reduce(into: [:]) { $0[try $1.text("part")] = Int(try $1.integer("rows")) }
    }

    /// The condition that a row is of one of some events.
    private static func names(_ events: [String]) -> (sql: String, values: SQLArguments) {
        var values: SQLArguments = [:]
        for (index, event) in events.enumerated() { values["event\(index)"] = .text(event) }
        let condition = "event IN (\(events.indices.map { ":event\($0)" }.joined(separator: ", ")))"
        let isRare = !events.contains(where: AuditSchema.frequent.contains)
        return (isRare ? "\(condition) AND \(AuditSchema.isRare)" : condition, values)
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
