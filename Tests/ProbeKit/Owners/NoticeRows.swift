import Storage

package enum NoticeTable: StoredTable { package static let name = "account_notice" }

extension StoredRows {
    /// Notices to users that wait.
    package var notices: TableRows<NoticeTable> { rows() }
}

extension TableRows where Table == NoticeTable {
    package func about(_ change: String) -> Self { with("change = \(quoted(change))") }
}

package enum AdminNoticeTable: StoredTable { package static let name = "admin_notice" }

extension StoredRows {
    package var adminNotices: TableRows<AdminNoticeTable> { rows() }
}

extension TableRows where Table == AdminNoticeTable {
    /// How many notices each batch has, the oldest first.
    package func batches() async throws -> [Int] {
        let sql = "SELECT COUNT(*) AS n FROM admin_notice WHERE batch <> '' GROUP BY batch ORDER BY MIN(created_at)"
        return try await database.read { try $0.query(sql).map { Int(try $0.integer("n")) } }
    }
}

package enum AddressChangeTable: StoredTable { package static let name = "address_change" }

extension StoredRows {
    /// Changes of addresses by their users.
    package var addressChanges: TableRows<AddressChangeTable> { rows() }
}

extension TableRows where Table == AddressChangeTable {
    package func to(_ address: String) -> Self { with("new_address = \(quoted(address))") }
    package func fate(_ fate: String) -> Self { with("fate = \(quoted(fate))") }
    package func tried(moreThan times: Int) -> Self { with("tries > \(times)") }

    /// The ids, the newest first.
    package func ids() async throws -> [String] { try await texts("id", by: "created_at DESC") }
}
