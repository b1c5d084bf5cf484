import IdPClients
import SSOShared
import SSOWeb
import Storage

/// Signing keys and clients of a database.
struct RestoredRegistry: Sendable {
    let keys: [SigningKeyRow]
    let clients: [StoredClient]
    /// The ids of clients that were removed, as far as the audit log goes back.
    let removed: Set<String>

    struct SigningKeyRow: Sendable {
        let id, algorithm: String
        let generation: Int64
    }

    init(_ connection: any SQLConnection) throws {
        keys = try connection.query(
            "SELECT kid, algorithm, generation FROM signing_key ORDER BY algorithm, generation"
        ).map {
            SigningKeyRow(
                id: try $0.text("kid"), algorithm: try $0.text("algorithm"), generation: try $0.integer("generation"))
        }
        clients = try ClientStore().all(connection)
        removed = Set(
            try connection.query(
                "SELECT client_id FROM audit_event WHERE event = 'client_changed' AND detail = 'removed'"
            ).compactMap { try $0.optionalText("client_id") })
    }

    /// Adds what had ended in the replaced database.
    ///
    /// - Parameter isSame: whether the databases have accounts in common. In a new one everything is missing, and nothing has
    ///   ended.
    func compare(with replaced: RestoredRegistry, isSame: Bool, _ ended: inout EndedSinceBackup) {
        let known = Set(replaced.keys.map(\.id))
        let isRelated = isSame || keys.contains { known.contains($0.id) }
        for key in keys where !known.contains(key.id) {
            let isFollowed = replaced.keys.contains {
                $0.algorithm == key.algorithm && $0.generation > key.generation
            }
            if isRelated || isFollowed { ended.keys.append(.init(id: key.id, algorithm: key.algorithm)) }
        }
        for client in clients {
            guard let other = replaced.clients.first(where: { $0.id == client.id }) else {
                if client.isEnabled, isSame || replaced.removed.contains(client.id) { ended.clients.append(client.id) }
                continue
            }
            let working = Set(other.secrets.filter { $0.replacedAt == nil }.map(\.fingerprint))
            let retired = client.secrets.filter { $0.replacedAt == nil || !other.has($0) }.map(\.fingerprint)
                .filter { !working.contains($0) }
            // One that has become public has none that could take their place.
            let hasNone = other.secrets.isEmpty && !client.secrets.isEmpty
            if client.isEnabled, !other.isEnabled || hasNone { ended.clients.append(client.id) }
            // Its entry is the later one, so it has the secrets of that: none where it has become public, and its first ones
            // where it was.
            let hasFirst = client.secrets.isEmpty && !other.secrets.isEmpty
            guard !retired.isEmpty || hasFirst else { continue }
            ended.secrets.append(.init(clientID: client.id, ended: retired, now: other.secrets))
        }
    }

    static func end(_ ended: EndedSinceBackup, _ connection: any SQLConnection) throws {
        for key in ended.keys {
            try connection.execute("DELETE FROM signing_key WHERE kid = :kid", ["kid": .text(key.id)])
        }
        for client in ended.clients {
            try connection.execute("UPDATE client SET is_enabled = 0 WHERE id = :id", ["id": .text(client)])
        }
        for client in ended.secrets {
            try connection.execute("DELETE FROM client_secret WHERE client_id = :id", ["id": .text(client.clientID)])
        }
        // After all were deleted: a fingerprint is one client's alone.
        for secret in ended.secrets.flatMap(\.now) {
            try connection.execute(
                """
                INSERT INTO client_secret (client_id, fingerprint, secret, added_at, replaced_at, ends_after)
                VALUES (:client, :print, :secret, :added, :replaced, :after) ON CONFLICT DO NOTHING
                """,
                [
                    "client": .text(secret.clientID), "print": .text(secret.fingerprint),
                    "secret": .blob(secret.sealed), "added": .timestamp(secret.addedAt),
                    "replaced": .optional(secret.replacedAt?.milliseconds),
                    "after": .integer(secret.endsAfter.milliseconds),
                ])
        }
    }
}

extension StoredClient {
    fileprivate func has(_ secret: StoredSecret) -> Bool {
        secrets.contains { $0.fingerprint == secret.fingerprint }
    }
}
