import SSOShared
package import SSOWeb
package import Storage

/// A secret that a client does not have any more. It proves nothing: it is kept to say that a caller still uses it.
struct RetiredSecret: Sendable {
    let secret: SharedSecret
    let at: Timestamp
}

/// Owns the rows of `retired_secret`: the last secrets of each client of the database that were retired, sealed as they were.
package enum RetiredSecrets {
    /// The table, for the migrations.
    package static let schema = [
        """
        CREATE TABLE retired_secret (
            client_id TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            secret BLOB NOT NULL,
            retired_at BIGINT NOT NULL,
            PRIMARY KEY (client_id, fingerprint)
        )
        """
    ]

    static let perClient = 5
    private static let kept: Duration = .days(90)

    /// Keeps a secret, in the transaction that deletes it.
    static func keep(_ name: SecretName, at now: Timestamp, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO retired_secret (client_id, fingerprint, secret, retired_at)
            SELECT client_id, fingerprint, secret, CAST(:now AS BIGINT) FROM client_secret
             WHERE client_id = :client AND fingerprint = :print
                ON CONFLICT (client_id, fingerprint) DO UPDATE SET retired_at = excluded.retired_at
            """, ["client": .text(name.client), "print": .text(name.fingerprint), "now": .timestamp(now)])
        try connection.execute(
            """
            DELETE FROM retired_secret WHERE client_id = :client AND fingerprint NOT IN (
                SELECT fingerprint FROM retired_secret WHERE client_id = :client
                 ORDER BY retired_at DESC, fingerprint LIMIT :most)
            """, ["client": .text(name.client), "most": .integer(Int64(perClient))])
    }

    static func delete(of client: String, _ connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM retired_secret WHERE client_id = :client", ["client": .text(client)])
    }

    static func all(
        of client: String, _ connection: any SQLConnection
    ) throws -> [(sealed: [UInt8], at: Timestamp)] {
        try connection.query(
            "SELECT secret, retired_at FROM retired_secret WHERE client_id = :client ORDER BY retired_at DESC",
            ["client": .text(client)]
        ).map { (try $0.blob("secret"), try $0.timestamp("retired_at")) }
    }

    /// Removes those that were retired 90 days ago.
    package static func purge(_ database: any Database, clock: ServiceClock, limit: Int) async throws -> Int {
        let old = clock.now() - kept
        return try await database.write { connection in
            try connection.execute(
                """
                DELETE FROM retired_secret WHERE retired_at <= :old AND (client_id, fingerprint) IN (
                    SELECT client_id, fingerprint FROM retired_secret WHERE retired_at <= :old LIMIT :limit)
                """, ["old": .timestamp(old), "limit": .integer(Int64(limit))])
        }
    }
}

extension StoredClients {
    /// The retired secrets of a client that a key of `IDP_SECRET_KEY` opens.
    func retired(of client: String) async throws -> [RetiredSecret] {
        try await database.read { try RetiredSecrets.all(of: client, $0) }.compactMap { sealed, at in
            box.open(sealed, of: client).map { RetiredSecret(secret: $0, at: at) }
        }
    }
}
