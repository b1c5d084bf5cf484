package import SSOWeb
import Storage

package enum GrantTable: StoredTable { package static let name = "sso_token" }

extension StoredRows {
    /// Tokens, codes and tickets of every client protocol.
    package var grants: TableRows<GrantTable> { rows() }
}

extension TableRows where Table == GrantTable {
    package func of(client: String) -> Self { with("client_id = \(quoted(client))") }
    package func ofKind(_ kind: String) -> Self { with("kind = \(quoted(kind))") }
    package var used: Self { with("used_at IS NOT NULL") }
    package var unused: Self { with("used_at IS NULL") }
    package func used(at moment: Timestamp) -> Self { with("used_at = \(moment.milliseconds)") }
    package var voided: Self { with("voided_at IS NOT NULL") }
    /// Those that can be redeemed: neither used nor void.
    package var open: Self { with("used_at IS NULL AND voided_at IS NULL") }
    package func strength(_ strength: String) -> Self { with("strength = \(quoted(strength))") }
    package func weaker(than strength: String) -> Self { with("strength <> \(quoted(strength))") }
    /// Those of the flow of the newest one.
    package var ofNewestFlow: Self {
        with("state_digest = (SELECT state_digest FROM sso_token ORDER BY \(TestedEngine.newestFirst) LIMIT 1)")
    }

    package func use() async throws { try await set("used_at = created_at") }
    package func void() async throws { try await set("voided_at = created_at") }
    package func expire() async throws { try await set("expires_at = created_at") }
    package func setClient(_ id: String) async throws { try await set("client_id = \(quoted(id))") }
    package func setReturnAddress(_ address: String) async throws { try await set("redirect_uri = \(quoted(address))") }
    package func setKind(_ kind: String) async throws { try await set("kind = \(quoted(kind))") }
    /// As an earlier version has left them, which did not know whether the moment of a sign-in is proven.
    package func forgetWhetherProven() async throws { try await set("is_proven = NULL") }
}

package enum RefreshTokenTable: StoredTable { package static let name = "oidc_refresh_token" }

extension StoredRows {
    /// Refresh tokens of OpenID Connect.
    package var refreshTokens: TableRows<RefreshTokenTable> { rows() }
}

extension TableRows where Table == RefreshTokenTable {
    package var unused: Self { with("used_at IS NULL") }

    package func setUnused() async throws { try await set("used_at = NULL, successor_key = NULL") }
}

package enum SigningKeyTable: StoredTable { package static let name = "signing_key" }

extension StoredRows {
    package var signingKeys: TableRows<SigningKeyTable> { rows() }
}

extension TableRows where Table == SigningKeyTable {
    package func id(_ id: String) -> Self { with("kid = \(quoted(id))") }

    package func ids() async throws -> [String] { try await texts("kid") }

    /// Adds keys that sign nothing.
    package func add(_ keys: (id: String, generation: Int64)...) async throws { try await add(keys) }

    package func add(_ keys: [(id: String, generation: Int64)]) async throws {
        try await insert(
            keys.map { key in
                [
                    "kid": .text(key.id), "algorithm": .text("RS256"), "generation": .integer(key.generation),
                    "public_key": .text("{}"), "private_key": .blob([1]), "created_at": .integer(1),
                    "used_from": .integer(1),
                ]
            })
    }
}
