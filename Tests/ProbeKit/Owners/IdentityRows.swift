package import SSOWeb
package import Storage

package enum IdentityTable: StoredTable { package static let name = "account_identity" }

extension StoredRows {
    package var identities: TableRows<IdentityTable> { rows() }
}

extension TableRows where Table == IdentityTable {
    package func ofKind(_ kind: String) -> Self { with("kind = \(quoted(kind))") }
    /// Those at providers.
    package var external: Self { ofKind("external") }
    package var emails: Self { ofKind("email") }
    package func subject(_ subject: String) -> Self { with("subject = \(quoted(subject))") }
    package func notFrom(_ issuer: String) -> Self { with("issuer <> \(quoted(issuer))") }
    package func ofAccount(_ id: String) -> Self { with("account_id = \(quoted(id))") }

    package func subjects() async throws -> [String] { try await texts("subject") }
    /// The account and the subject of each.
    package func ownersAndSubjects() async throws -> [String] { try await texts("account_id || ' ' || subject") }
    /// How many have an address that forwards nothing any more; nil without an identity.
    package func withoutForwarding() async throws -> Int? { try await number("SUM(is_email_disabled)") }

    /// As the store reads them, with these columns.
    package func read<Identity: Sendable>(
        _ columns: String, _ make: @escaping @Sendable (SQLRow) throws -> Identity
    ) async throws -> [Identity] {
        try await rows(columns).map(make)
    }

    package func endForwarding() async throws { try await set("is_email_disabled = 1") }

    package func add(_ identities: AddedIdentity...) async throws { try await add(identities) }

    package func add(_ identities: [AddedIdentity]) async throws { try await insert(identities.map(\.values)) }
}

/// An identity as a test adds it.
package struct AddedIdentity: Sendable {
    let values: SQLArguments

    /// At a provider.
    ///
    /// - Parameter isPrivate: whether its address is a private one that forwards nothing any more.
    package init(
        _ account: String, at issuer: String = "https://op.example", _ subject: String, provider: String? = nil,
        address: String? = nil, isPrivate: Bool = false, createdAt: Timestamp = Timestamp(milliseconds: 1),
        usedAt: Timestamp? = nil, kind: String = "external"
    ) {
        values = [
            "kind": .text(kind), "issuer": .text(issuer), "subject": .text(subject), "account_id": .text(account),
            "created_at": .timestamp(createdAt), "provider": .optional(provider), "email": .optional(address),
            "is_private_email": .integer(isPrivate ? 1 : 0), "is_email_disabled": .integer(isPrivate ? 1 : 0),
            "used_at": .optional(usedAt?.milliseconds),
        ]
    }
}

package enum RevocationTable: StoredTable { package static let name = "token_revocation" }

extension StoredRows {
    /// Refresh tokens that their providers are still to be told of.
    package var revocations: TableRows<RevocationTable> { rows() }
}

extension TableRows where Table == RevocationTable {
    package func at(_ issuer: String) -> Self { with("issuer = \(quoted(issuer))") }

    package func add(
        _ sealed: [UInt8], at issuer: String, provider: String, createdAt: Timestamp, due: Timestamp
    ) async throws {
        try await insert([
            [
                "refresh_token": .blob(sealed), "issuer": .text(issuer), "provider": .text(provider),
                "created_at": .timestamp(createdAt), "next_try_at": .timestamp(due),
            ]
        ])
    }
}
