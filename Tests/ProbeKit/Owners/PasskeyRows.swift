import Storage

package enum PasskeyTable: StoredTable { package static let name = "passkey" }

extension StoredRows {
    package var passkeys: TableRows<PasskeyTable> { rows() }
}

extension TableRows where Table == PasskeyTable {
    package func named(_ name: String) -> Self { with("name = \(quoted(name))") }

    package func ids() async throws -> [String] { try await texts("id") }

    /// Adds passkeys that sign nobody in, with their identities.
    package func add(_ ids: [String], of account: String) async throws {
        try await StoredRows(database).identities.add(
            ids.map { AddedIdentity(account, at: "id.example", $0, kind: "passkey") })
        try await insert(
            ids.map { id in
                [
                    "id": .text(id), "account_id": .text(account), "rp_id": .text("id.example"),
                    "credential_id": .text(id), "public_key": .blob([1]), "algorithm": .integer(-7),
                    "sign_count": .integer(0), "is_verified": .integer(1), "is_backup_eligible": .integer(1),
                    "is_backed_up": .integer(1), "transports": .text(""), "aaguid": .blob([1]), "name": .text("N"),
                ]
            })
    }
}

extension StoredRows {
    /// Copies all passkeys with their identities.
    ///
    /// - Returns: what makes the tables as they were.
    package func copiedPasskeys() async throws -> @Sendable () async throws -> Void {
        let tables = ["passkey", "account_identity"]
        try await change(tables.map { "CREATE TABLE kept_\($0) AS SELECT * FROM \($0)" })
        return {
            try await change(
                tables.flatMap {
                    ["DELETE FROM \($0)", "INSERT INTO \($0) SELECT * FROM kept_\($0)", "DROP TABLE kept_\($0)"]
                })
        }
    }
}
