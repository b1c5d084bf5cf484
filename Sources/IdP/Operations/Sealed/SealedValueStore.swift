package import IdPClients
package import SSOShared
package import Storage

/// A column with values that are sealed with `IDP_SECRET_KEY`, and that stay.
package struct SealedColumn: Sendable {
    /// What the values are, for operators: `client secrets`.
    package let name: String
    let table, column: String
    /// The primary key: columns of text.
    let keys: [String]
    let box: SealedBox

    package static let clientSecretsName = "client secrets"

    /// The secrets of the clients in the database.
    package static func clientSecrets(_ box: ClientSecretBox) -> SealedColumn {
        SealedColumn(
            name: clientSecretsName, table: "client_secret", column: "secret", keys: ["client_id", "fingerprint"],
            box: box.box)
    }

    package static let signingKeysName = "signing keys"

    /// The private halves of the keys of ID tokens.
    package static func signingKeys(_ box: SealedBox) -> SealedColumn {
        SealedColumn(name: signingKeysName, table: "signing_key", column: "private_key", keys: ["kid"], box: box)
    }

    /// What a provider takes back when an identity is removed.
    package static func refreshTokens(_ box: SealedBox) -> SealedColumn {
        SealedColumn(
            name: "provider refresh tokens", table: "account_identity", column: "refresh_token",
            keys: ["kind", "issuer", "subject"], box: box)
    }
}

/// Seals stored values again with the first key of `IDP_SECRET_KEY`, so that an old one can be removed.
///
/// Has SQL for tables of several owners, because all of them are sealed alike.
package struct SealedValueStore: Sendable {
    /// How many values of a column there are, by what they need.
    package struct Count: Sendable, Equatable {
        package let name: String
        package var current = 0
        /// Sealed with another key than the first.
        package var old = 0
        package var unreadable = 0
    }

    static let pageSize = 500

    private let database: any Database
    private let columns: [SealedColumn]

    package init(database: any Database, columns: [SealedColumn]) {
        (self.database, self.columns) = (database, columns)
    }

    /// Changes nothing.
    package func count() async throws -> [Count] { try await eachColumn { _, _ in } }

    /// Seals again what needs it.
    ///
    /// - Returns: what was found, with what is sealed again now as ``Count/old``.
    package func renew() async throws -> [Count] {
        try await eachColumn { column, renewed in
            try await database.write { connection in
                for (row, value) in renewed {
                    // Only what is still as it was read.
                    try connection.execute(
                        """
                        UPDATE \(column.table) SET \(column.column) = :new
                         WHERE \(column.keys.map { "\($0) = :\($0)" }.joined(separator: " AND "))
                           AND \(column.column) = :old
                        """, row.keys.merging(["new": .blob(value), "old": .blob(row.value)]))
                }
            }
        }
    }

    private struct Row: Sendable {
        let keys: SQLArguments
        let value: [UInt8]
    }

    private func eachColumn(
        _ renew: (SealedColumn, [(Row, [UInt8])]) async throws -> Void
    ) async throws -> [Count] {
        var counts: [Count] = []
        for column in columns {
            var count = Count(name: column.name)
            var last: Row?
            while true {
                let rows = try await page(of: column, after: last)
                var renewed: [(Row, [UInt8])] = []
                for row in rows {
                    switch try column.box.renew(row.value) {
                    case .current: count.current += 1
                    case .unreadable: count.unreadable += 1
                    case .renewed(let value):
                        count.old += 1
                        renewed.append((row, value))
                    }
                }
                if !renewed.isEmpty { try await renew(column, renewed) }
                guard rows.count == Self.pageSize else { break }
                last = rows.last
            }
            counts.append(count)
        }
        return counts
    }

    private func page(of column: SealedColumn, after last: Row?) async throws -> [Row] {
        let keys = column.keys.joined(separator: ", ")
        let after = column.keys.map { ":\($0)" }.joined(separator: ", ")
        // No key is smaller than empty texts.
        let start = SQLArguments(column.keys.map { ($0, SQLValue.text("")) })
        let values = (last?.keys ?? start).merging(["limit": .integer(Int64(Self.pageSize))])
        return try await database.read { connection in
            try connection.query(
                """
                SELECT \(keys), \(column.column) FROM \(column.table)
                 WHERE \(column.column) IS NOT NULL AND (\(keys)) > (\(after)) ORDER BY \(keys) LIMIT :limit
                """, values
            ).map { row in
                var names: SQLArguments = [:]
                for key in column.keys { names[key] = .text(try row.text(key)) }
                return Row(keys: names, value: try row.blob(column.column))
            }
        }
    }
}
