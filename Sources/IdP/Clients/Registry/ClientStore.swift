package import SSOWeb
package import Storage

/// Owns the rows of `client`, `client_secret`, `client_secret_use` and `registry_revision`.
package struct ClientStore: Sendable {
    package init() {}

    // MARK: The number of the last change

    /// The number that rises with each change of the clients in the database. ``ClientDirectory`` reads them again when it
    /// has another one.
    package static let revisionSQL =
        "(SELECT COALESCE(MAX(revision), 0) AS revision FROM registry_revision WHERE part = 'clients')"

    /// The condition that the clients of the database are those of a decision, with ``ClientDirectory/Mark/value`` as `:revision`.
    package static let unchangedSQL =
        "(CAST(:revision AS BIGINT) IS NULL OR (SELECT registry.revision FROM \(revisionSQL) AS registry) = :revision)"

    func revision(_ connection: any SQLConnection) throws -> Int64 {
        try connection.query(Self.selectRevisionSQL).first?.integer("revision") ?? 0
    }

    private static let selectRevisionSQL = "SELECT revision FROM \(revisionSQL) AS registry"

    /// Every process acts on the change from now on. In the transaction of the change.
    package func noteChange(_ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO registry_revision (part, revision) VALUES ('clients', 1)
                ON CONFLICT (part) DO UPDATE SET revision = registry_revision.revision + 1
            """)
    }

    // MARK: Clients

    /// By id.
    package func all(_ connection: any SQLConnection) throws -> [StoredClient] {
        var secrets: [String: [StoredSecret]] = [:]
        for row in try connection.query("SELECT * FROM client_secret \(Self.currentFirst)") {
            let secret = try StoredSecret(row)
            secrets[secret.clientID, default: []].append(secret)
        }
        return try connection.query("SELECT * FROM client ORDER BY id").map {
            try StoredClient($0, secrets: secrets[try $0.text("id")] ?? [])
        }
    }

    package func client(id: String, _ connection: any SQLConnection) throws -> StoredClient? {
        let values: SQLArguments = ["id": .text(id)]
        guard let row = try connection.query("SELECT * FROM client WHERE id = :id", values).first else { return nil }
        let secrets = try connection.query(
            "SELECT * FROM client_secret WHERE client_id = :id \(Self.currentFirst)", values)
        return try StoredClient(row, secrets: secrets.map { try StoredSecret($0) })
    }

    private static let currentFirst = "ORDER BY CASE WHEN replaced_at IS NULL THEN 0 ELSE 1 END, added_at DESC"

    package func count(_ connection: any SQLConnection) throws -> Int {
        Int(try connection.query("SELECT COUNT(*) AS count FROM client").first?.integer("count") ?? 0)
    }

    package func insert(
        _ entry: ClientEntry, of protocols: ClientProtocols, id: String, logo: [UInt8]?, at now: Timestamp,
        _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO client (id, entry, logo, is_enabled, created_at, changed_at)
            VALUES (:id, :entry, :logo, 1, :now, :now)
            """,
            [
                "id": .text(id), "entry": .text(entry.text(of: protocols)), "logo": .optional(logo),
                "now": .timestamp(now),
            ])
    }

    package func update(
        _ client: StoredClient, entry: ClientEntry, of protocols: ClientProtocols, logo: [UInt8]?, isEnabled: Bool,
        at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE client SET entry = :entry, logo = :logo, is_enabled = :enabled, changed_at = :now WHERE id = :id",
            [
                "id": .text(client.id), "entry": .text(entry.text(of: protocols)), "logo": .optional(logo),
                "enabled": .integer(isEnabled ? 1 : 0), "now": .timestamp(now),
            ])
    }

    package func delete(_ id: String, _ connection: any SQLConnection) throws {
        let values: SQLArguments = ["id": .text(id)]
        try RetiredSecrets.delete(of: id, connection)
        try connection.execute("DELETE FROM client_secret_use WHERE client_id = :id", values)
        try connection.execute("DELETE FROM client_secret WHERE client_id = :id", values)
        try connection.execute("DELETE FROM client WHERE id = :id", values)
    }

    // MARK: Secrets

    package func owner(ofFingerprint fingerprint: String, _ connection: any SQLConnection) throws -> String? {
        try connection.query(
            "SELECT client_id FROM client_secret WHERE fingerprint = :print", ["print": .text(fingerprint)]
        ).first?.text("client_id")
    }

    package func insert(
        _ sealed: [UInt8], _ name: SecretName, at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO client_secret (client_id, fingerprint, secret, added_at, ends_after)
            VALUES (:client, :print, :secret, :now, 0)
            """,
            Self.values(name).merging(["secret": .blob(sealed), "now": .timestamp(now)]))
    }

    /// - Parameter replacedAt: nil to make it the current one again.
    package func replace(
        _ secret: StoredSecret, at replacedAt: Timestamp?, endsAfter: Duration, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE client_secret SET replaced_at = CAST(:replaced AS BIGINT), ends_after = :after
             WHERE client_id = :client AND fingerprint = :print
            """,
            Self.values(secret.name).merging([
                "replaced": .optional(replacedAt?.milliseconds), "after": .integer(endsAfter.milliseconds),
            ]))
    }

    /// Ends a secret. That it was the client's is kept for a while (``RetiredSecrets``).
    package func delete(_ name: SecretName, at now: Timestamp, _ connection: any SQLConnection) throws {
        let values = Self.values(name)
        try RetiredSecrets.keep(name, at: now, connection)
        try connection.execute(
            "DELETE FROM client_secret WHERE client_id = :client AND fingerprint = :print", values)
        try connection.execute(
            "DELETE FROM client_secret_use WHERE client_id = :client AND fingerprint = :print", values)
    }

    /// The replaced secrets whose time is over.
    package func ended(at now: Timestamp, limit: Int, _ connection: any SQLConnection) throws -> [SecretName] {
        try connection.query(
            """
            SELECT secret.client_id, secret.fingerprint
              FROM client_secret secret
              LEFT JOIN client_secret_use used
                ON used.client_id = secret.client_id AND used.fingerprint = secret.fingerprint
             WHERE secret.replaced_at IS NOT NULL
               AND secret.replaced_at + secret.ends_after <= :now
               AND COALESCE(used.last_used_at, 0) + secret.ends_after <= :now
             LIMIT :limit
            """, ["now": .timestamp(now), "limit": .integer(Int64(limit))]
        ).map { SecretName(client: try $0.text("client_id"), fingerprint: try $0.text("fingerprint")) }
    }

    // MARK: Uses

    /// Of the secrets of all clients, also those of the file.
    package func uses(_ connection: any SQLConnection) throws -> [SecretName: SecretUse] {
        try connection.query("SELECT * FROM client_secret_use").reduce(into: [:]) { uses, row in
            let name = SecretName(client: try row.text("client_id"), fingerprint: try row.text("fingerprint"))
            uses[name] = SecretUse(first: try row.timestamp("first_used_at"), last: try row.timestamp("last_used_at"))
        }
    }

    package func uses(of client: Client, _ connection: any SQLConnection) throws -> [SecretName: SecretUse] {
        try client.fingerprints.reduce(into: [:]) { uses, fingerprint in
            let name = SecretName(client: client.id, fingerprint: fingerprint)
            uses[name] = try use(of: name, connection)
        }
    }

    package func use(of name: SecretName, _ connection: any SQLConnection) throws -> SecretUse? {
        try connection.query(
            "SELECT * FROM client_secret_use WHERE client_id = :client AND fingerprint = :print", Self.values(name)
        ).first.map { SecretUse(first: try $0.timestamp("first_used_at"), last: try $0.timestamp("last_used_at")) }
    }

    package func noteUse(of name: SecretName, at now: Timestamp, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO client_secret_use (client_id, fingerprint, first_used_at, last_used_at)
            VALUES (:client, :print, :now, :now)
                ON CONFLICT (client_id, fingerprint) DO UPDATE
               SET last_used_at = CASE WHEN excluded.last_used_at > client_secret_use.last_used_at
                                       THEN excluded.last_used_at ELSE client_secret_use.last_used_at END
            """, Self.values(name).merging(["now": .timestamp(now)]))
    }

    private static func values(_ name: SecretName) -> SQLArguments {
        ["client": .text(name.client), "print": .text(name.fingerprint)]
    }
}

extension StoredSecret {
    package var name: SecretName { SecretName(client: clientID, fingerprint: fingerprint) }
}
