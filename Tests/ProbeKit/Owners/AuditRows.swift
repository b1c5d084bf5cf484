import Storage

package enum AuditTable: StoredTable { package static let name = "audit_event" }

extension StoredRows {
    /// The audit rows of any database. A deployment's are read as operators see them: `TestDeployment.auditRows`.
    package var audit: TableRows<AuditTable> { rows() }
}

/// An audit row as tests compare it.
package struct StoredAuditRow: Sendable {
    package let id: [UInt8]
    package let event: String
    package let client: String?
    package let account: String?
    package let cause: String?
}

extension TableRows where Table == AuditTable {
    package func of(_ event: String) -> Self { with("event = \(quoted(event))") }
    package func of(anyOf events: [String]) -> Self {
        with("event IN (\(events.map(quoted).joined(separator: ", ")))")
    }
    package func cause(_ cause: String) -> Self { with("cause = \(quoted(cause))") }
    package func actor(_ actor: String) -> Self { with("actor = \(quoted(actor))") }
    package func detail(_ detail: String) -> Self { with("detail = \(quoted(detail))") }
    package func detail(from start: String) -> Self { with("detail LIKE \(quoted(start + "%"))") }
    package func at(client: String) -> Self { with("client_id = \(quoted(client))") }
    package func account(_ id: String) -> Self { with("account_id = \(quoted(id))") }
    package var ofAccounts: Self { with("account_id IS NOT NULL") }
    /// Those whose id is not smaller: ids begin with the moment.
    package func from(id: [UInt8]) -> Self { with("id >= :since", ["since": .blob(id)]) }

    /// The details, in order.
    package func details() async throws -> [String] { try await texts("detail") }
    /// The account and the detail of each.
    package func accountsAndDetails() async throws -> [String] { try await texts("account_id || ' ' || detail") }
    /// The event and the cause of each that has one.
    package func causes() async throws -> [String] {
        try await with("cause IS NOT NULL").texts("event || ': ' || cause")
    }
    package func all() async throws -> [StoredAuditRow] {
        try await rows("id, event, client_id, account_id, cause").map { row in
            StoredAuditRow(
                id: try row.blob("id"), event: try row.text("event"), client: try row.optionalText("client_id"),
                account: try row.optionalText("account_id"), cause: try row.optionalText("cause"))
        }
    }

    /// Adds a row of a moment in the distant past.
    package func add(
        _ event: String, by actor: String, account: String? = nil, client: String? = nil, detail: String? = nil
    ) async throws {
        try await insert([
            [
                "id": .blob(Array("\(event) \(account ?? "")".utf8)), "created_at": .integer(1), "event": .text(event),
                "actor": .text(actor),
                "account_id": .optional(account), "client_id": .optional(client), "detail": .optional(detail),
            ]
        ])
    }
}
