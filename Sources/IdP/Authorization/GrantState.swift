package import SSOShared
package import SSOWeb
package import Storage

/// What is known of a grant before anybody uses it.
package enum GrantState: Sendable {
    case usable
    /// Used, ended or expired.
    case spent

    package init(_ row: SQLRow) throws { self = try row.integer("is_usable") != 0 ? .usable : .spent }
}

extension GrantStore {
    /// Reads one row and changes nothing: for a request that anybody can send. What comes of it is decided by
    /// ``consume(_:_:)``.
    ///
    /// - Returns: nil for a grant that nobody issued.
    package func state<Kind>(
        of secret: Secret<Kind>, _ kind: GrantKind, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> GrantState? {
        try connection.query(
            """
            SELECT CASE WHEN used_at IS NULL AND voided_at IS NULL AND expires_at > :now THEN 1 ELSE 0 END AS is_usable
              FROM sso_token WHERE digest = :digest AND kind = :kind
            """, ["digest": .blob(secret.digest), "kind": .text(kind.id), "now": .timestamp(now)]
        ).first.map { try GrantState($0) }
    }
}
