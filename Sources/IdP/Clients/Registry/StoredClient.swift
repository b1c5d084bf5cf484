import SSOShared
package import SSOWeb
import Storage

/// A client of the database, as it is stored.
package struct StoredClient: Sendable {
    package let id: String
    package let entry: ClientEntry
    package let isEnabled: Bool
    /// The current one first.
    package let secrets: [StoredSecret]
    package let logo: [UInt8]?

    /// - Throws: ``DatabaseError`` for a row that no version has written.
    init(_ row: SQLRow, secrets: [StoredSecret]) throws {
        id = try row.text("id")
        guard let entry = ClientEntry(text: try row.text("entry")) else {
            throw DatabaseError.refused("the entry of the client \(id) in the database cannot be read")
        }
        self.entry = entry
        isEnabled = try row.integer("is_enabled") != 0
        logo = try row.optionalBlob("logo")
        self.secrets = secrets
    }

    /// The client as its entry describes it, for commands: without its secrets. Nil after a problem.
    package func described(of protocols: ClientProtocols, problem: @escaping (String) -> Void) -> Client? {
        entry.client(
            of: protocols, secrets: [], logo: logo, place: { "client \(id), \($0)" }, problem: problem)
    }

    /// The client with those of its secrets that a key opens. Nil after a problem, and without any secret.
    func client(
        of protocols: ClientProtocols, _ box: ClientSecretBox, problem: @escaping (String) -> Void
    ) -> Client? {
        let opened = secrets.compactMap { secret -> SharedSecret? in
            let opened = box.open(secret.sealed, of: id)
            if opened == nil {
                problem("client \(id): no key of IDP_SECRET_KEY opens its secret \(secret.fingerprint).")
            }
            return opened
        }
        // A public client has no secret, so nothing is missing.
        guard !opened.isEmpty || secrets.isEmpty else { return nil }
        return entry.client(
            of: protocols, secrets: opened, logo: logo, place: { "client \(id), \($0)" }, problem: problem)
    }

    package var previous: StoredSecret? { secrets.first { $0.replacedAt != nil } }
    package var current: StoredSecret? { secrets.first { $0.replacedAt == nil } }
}

/// A secret of a client of the database.
package struct StoredSecret: Sendable, Equatable {
    package let clientID: String
    package let fingerprint: String
    package let sealed: [UInt8]
    package let addedAt: Timestamp
    /// When a newer one took its place; nil for the current one.
    package let replacedAt: Timestamp?
    /// How long after its last use it ends, once it is replaced.
    package let endsAfter: Duration

    init(_ row: SQLRow) throws(DatabaseError) {
        (clientID, fingerprint) = (try row.text("client_id"), try row.text("fingerprint"))
        (sealed, addedAt) = (try row.blob("secret"), try row.timestamp("added_at"))
        replacedAt = try row.optionalInteger("replaced_at").map(Timestamp.init(milliseconds:))
        endsAfter = .milliseconds(try row.integer("ends_after"))
    }
}

/// A secret by its fingerprint, which says nothing about it: of a client in the file or in the database.
package struct SecretName: Sendable, Hashable {
    package let client, fingerprint: String

    package init(client: String, fingerprint: String) { (self.client, self.fingerprint) = (client, fingerprint) }
}

/// When a secret was used.
package struct SecretUse: Sendable {
    package let first, last: Timestamp
}
