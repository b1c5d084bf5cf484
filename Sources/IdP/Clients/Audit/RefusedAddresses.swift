import Logging
package import SSOWeb
package import Storage

/// Owns the rows of `refused_address`: the redirect URIs that were sent with the id of a client and are not registered, each once with
/// a count, so that an admin sees what a service really sends.
///
/// Anybody can send the id of a client with an address of their own. So a network gets three rows of a client, and a client fifty.
package enum RefusedAddresses {
    /// The table, for the migrations.
    package static let schema = [
        """
        CREATE TABLE refused_address (
            client_id TEXT NOT NULL,
            address TEXT NOT NULL,
            network TEXT NOT NULL,
            occurrences BIGINT NOT NULL,
            first_at BIGINT NOT NULL,
            last_at BIGINT NOT NULL,
            PRIMARY KEY (client_id, address)
        )
        """,
        "CREATE INDEX refused_address_last_at ON refused_address (last_at)",
    ]

    static let perNetwork: Int64 = 3
    static let perClient: Int64 = 50
    private static let kept: Duration = .days(30)

    package struct Row: Sendable {
        package let address, network: String
        package let count: Int
        package let firstAt, lastAt: Timestamp

        /// Whether all of it is known: the log leaves out a query and what may be a secret.
        package var isWhole: Bool { !address.contains("…") && !address.contains("<redacted>") }
    }

    /// Notes the address of a refusal, in the transaction of its row. Other refusals have none.
    static func note(_ event: Event, at now: Timestamp, _ connection: any SQLConnection) throws {
        guard event.further["nearest_redirect_uri"] != nil,
            let client = event.further["sent_client_id"]?.description,
            let address = event.further["sent_redirect_uri"]?.description, !address.isEmpty
        else { return }
        try connection.execute(
            """
            INSERT INTO refused_address (client_id, address, network, occurrences, first_at, last_at)
            SELECT CAST(:client AS TEXT), CAST(:address AS TEXT), CAST(:network AS TEXT), 1, CAST(:now AS BIGINT),
                   CAST(:now AS BIGINT)
             WHERE EXISTS (SELECT 1 FROM refused_address WHERE client_id = :client AND address = :address)
                OR ((SELECT COUNT(*) FROM refused_address WHERE client_id = :client AND network = :network) < :perNetwork
                    AND (SELECT COUNT(*) FROM refused_address WHERE client_id = :client) < :perClient)
                ON CONFLICT (client_id, address)
                   DO UPDATE SET occurrences = refused_address.occurrences + 1, last_at = excluded.last_at
            """,
            [
                "client": .text(client), "address": .text(address), "network": .text(event.network ?? ""),
                "now": .timestamp(now), "perNetwork": .integer(perNetwork), "perClient": .integer(perClient),
            ])
    }

    /// The addresses of a client, the newest first.
    package static func all(of client: String, _ connection: any SQLConnection) throws -> [Row] {
        try connection.query(
            "SELECT * FROM refused_address WHERE client_id = :client ORDER BY last_at DESC, address LIMIT 50",
            ["client": .text(client)]
        ).map { row in
            Row(
                address: try row.text("address"), network: try row.text("network"),
                count: Int(try row.integer("occurrences")), firstAt: try row.timestamp("first_at"),
                lastAt: try row.timestamp("last_at"))
        }
    }

    /// Removes those that were not sent for 30 days.
    package static func purge(
        _ database: any Database, clock: ServiceClock, limit: Int
    ) async throws -> Int {
        let old = clock.now() - kept
        return try await database.write { connection in
            try connection.execute(
                """
                DELETE FROM refused_address WHERE last_at <= :old AND (client_id, address) IN (
                    SELECT client_id, address FROM refused_address WHERE last_at <= :old ORDER BY last_at LIMIT :limit)
                """, ["old": .timestamp(old), "limit": .integer(Int64(limit))])
        }
    }
}
