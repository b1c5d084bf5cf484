package import SSOWeb
package import Storage

/// Which rows of the audit log are asked for. What is nil does not matter.
package struct AuditSearch: Sendable {
    package var since: Timestamp?
    /// Rows from this moment on are left out.
    package var until: Timestamp?
    package var user: User?
    package var client: String?
    package var event: String?
    package var reference: String?

    /// The rows of one user: about the account, and about the address that was typed.
    package struct User: Sendable {
        let account: String?
        let addresses: [[UInt8]]

        package init(account: String?, addresses: [[UInt8]]) { (self.account, self.addresses) = (account, addresses) }
    }

    package init() {}

    var conditions: (sql: [String], values: SQLArguments) {
        var (sql, values): ([String], SQLArguments) = ([], [:])
        for (name, column, value) in [
            ("client", "client_id", client), ("event", "event", event), ("reference", "reference", reference),
        ] {
            guard let value else { continue }
            sql.append("\(column) = :\(name)")
            values[name] = .text(value)
        }
        if let user {
            var either = ["account_id = :account"]
            values["account"] = .text(user.account ?? "")
            for (index, mac) in user.addresses.enumerated() {
                either.append("address_mac = :mac\(index)")
                values["mac\(index)"] = .blob(mac)
            }
            sql.append("(\(either.joined(separator: " OR ")))")
        }
        return (sql, values)
    }
}

/// A row as it is read. Texts, because a later version may have written an event that this one does not know.
package struct AuditEntry: Sendable {
    package let id: [UInt8]
    package let at: Timestamp
    package let event, actor: String
    package let account, client, session, flow, reference, network, cause, detail, address: String?
    /// ``TypedAddress/id``.
    package let addressID: String?
    /// In a row that counts: how many events of the hour have no row of their own.
    package let count: Int?

    /// The account of the user who did it; nil for a command, a client or the program.
    package var actingAccount: String? {
        actor.hasPrefix("user:") ? String(actor.dropFirst("user:".count)) : nil
    }

    init(_ row: any SQLColumns) throws {
        id = try row.blob("id")
        at = try row.timestamp("created_at")
        (event, actor) = (try row.text("event"), try row.text("actor"))
        (account, client) = (try row.optionalText("account_id"), try row.optionalText("client_id"))
        (session, flow) = (try row.optionalText("session_handle"), try row.optionalText("flow"))
        (reference, network) = (try row.optionalText("reference"), try row.optionalText("network"))
        (cause, detail) = (try row.optionalText("cause"), try row.optionalText("detail"))
        address = try row.optionalText("address")
        addressID = try row.optionalBlob("address_mac").map(TypedAddress.id)
        count = try row.optionalInteger("occurrences").map { Int($0 - AuditStore.maximumRowsPerHour) }
    }

    static let columns = """
        id, created_at, event, actor, account_id, client_id, session_handle, flow, reference, network, cause, detail, address,
        address_mac, occurrences
        """
}

extension AuditStore {
    /// A page of rows, the oldest first.
    ///
    /// - Parameter after: the id of the last row of the page before.
    package func page(_ search: AuditSearch, after: [UInt8]? = nil, limit: Int = 1000) async throws -> [AuditEntry] {
        try await database.read { connection in try page(search, after: after, limit: limit, connection) }
    }

    /// The rows of an account, the newest first.
    ///
    /// - Parameter before: the id of the last row of the page before.
    package func newest(of account: String, before: [UInt8]?, limit: Int) async throws -> [AuditEntry] {
        try await database.read { try newest(of: account, before: before, limit: limit, $0) }
    }

    /// The same, in the caller's read.
    package func newest(
        of account: String, before: [UInt8]? = nil, limit: Int, _ connection: any SQLConnection
    ) throws -> [AuditEntry] {
        try connection.rows(
            """
            SELECT \(AuditEntry.columns) FROM audit_event
             WHERE account_id = :account AND id < :before AND occurrences IS NULL ORDER BY id DESC LIMIT :limit
            """,
            [
                "account": .text(account), "before": .blob(before ?? [UInt8](repeating: 0xff, count: 17)),
                "limit": .integer(Int64(limit)),
            ], AuditEntry.init)
    }

    private func page(
        _ search: AuditSearch, after: [UInt8]?, limit: Int, _ connection: any SQLConnection
    ) throws -> [AuditEntry] {
        var (conditions, values) = search.conditions
        conditions.append("id > :after AND id < :until")
        let since = AuditID.prefix(of: search.since ?? Timestamp(milliseconds: 0))
        values["after"] = .blob(after.map { since.lexicographicallyPrecedes($0) ? $0 : since } ?? since)
        values["until"] = .blob(search.until.map(AuditID.prefix) ?? [UInt8](repeating: 0xff, count: 7))
        values["maximum"] = .integer(Self.maximumRowsPerHour)
        values["limit"] = .integer(Int64(limit))
        return try connection.rows(
            """
            SELECT \(AuditEntry.columns) FROM audit_event
             WHERE \(conditions.joined(separator: " AND ")) AND (occurrences IS NULL OR occurrences > :maximum)
             ORDER BY id LIMIT :limit
            """, values, AuditEntry.init)
    }
}
