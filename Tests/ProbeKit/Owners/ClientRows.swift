import Storage

package enum ClientTable: StoredTable { package static let name = "client" }
package enum ClientSecretTable: StoredTable { package static let name = "client_secret" }
package enum RegistryRevisionTable: StoredTable { package static let name = "registry_revision" }
package enum KeyCheckTable: StoredTable { package static let name = "key_check" }

extension StoredRows {
    /// The clients that were registered by command.
    package var clients: TableRows<ClientTable> { rows() }
    package var clientSecrets: TableRows<ClientSecretTable> { rows() }
    package var registryRevisions: TableRows<RegistryRevisionTable> { rows() }
    package var keyChecks: TableRows<KeyCheckTable> { rows() }
}

extension TableRows where Table == ClientTable {
    package func id(_ id: String) -> Self { with("id = \(quoted(id))") }
    package var enabled: Self { with("is_enabled = 1") }

    package func ids() async throws -> [String] { try await texts("id") }
    package func entries() async throws -> [String] { try await texts("entry") }
    package func setEntry(_ entry: String) async throws { try await set("entry = \(quoted(entry))") }

    /// Adds clients with an empty entry.
    package func add(_ clients: [(id: String, isEnabled: Bool)]) async throws {
        try await insert(
            clients.map { client in
                [
                    "id": .text(client.id), "entry": .text("{}"), "is_enabled": .integer(client.isEnabled ? 1 : 0),
                    "created_at": .integer(1), "changed_at": .integer(1),
                ]
            })
    }
}

extension TableRows where Table == ClientSecretTable {
    package func of(client: String) -> Self { with("client_id = \(quoted(client))") }

    /// The sealed secrets with their clients.
    package func sealed() async throws -> [(client: String, secret: [UInt8])] {
        try await rows("client_id, secret").map { (try $0.text("client_id"), try $0.blob("secret")) }
    }
    /// The client and the fingerprint of each, and whether it was replaced.
    package func summaries() async throws -> [String] {
        try await texts(
            "client_id || ' ' || fingerprint || CASE WHEN replaced_at IS NULL THEN '' ELSE ' replaced' END")
    }
    package func setSecret(_ sealed: [UInt8]) async throws {
        try await set("secret = :secret", ["secret": .blob(sealed)])
    }

    package func add(_ secrets: [(client: String, print: String, replacedAt: Int64?)]) async throws {
        try await insert(
            secrets.map { secret in
                [
                    "client_id": .text(secret.client), "fingerprint": .text(secret.print),
                    "secret": .blob(Array(secret.print.utf8)), "added_at": .integer(1),
                    "replaced_at": .optional(secret.replacedAt), "ends_after": .integer(7),
                ]
            })
    }
}

extension TableRows where Table == RegistryRevisionTable {
    /// As if the clients had been changed.
    package func add(_ revision: Int64) async throws {
        try await insert([["part": .text("clients"), "revision": .integer(revision)]])
    }
}

extension TableRows where Table == KeyCheckTable {
    package func setFingerprint(_ fingerprint: String) async throws {
        try await set("fingerprint = \(quoted(fingerprint))")
    }
}
