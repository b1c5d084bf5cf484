import IdPAccounts
package import IdPClients
package import SSOWeb
package import Storage

/// Which rows of the audit log all admins are told of: what a thief of an admin's session does first.
package enum AdminNews {
    private static let events = [
        EventKind.roleChanged.id, EventKind.clientChanged.id, EventKind.clientSecretAdded.id,
        EventKind.clientSecretRetired.id, EventKind.passkeyRemoved.id, EventKind.passkeysForgotten.id,
        EventKind.auditExported.id,
    ]
    /// The keys of a client that say where users and messages go, and who may enter.
    private static let keys: Set<String> = [
        "redirect_uris", "logout_uri", "backchannel_logout_uri", "sign_out_uris", "post_logout_redirect_uris", "access",
        "groups", "expose_groups",
    ]

    /// - Parameter since: from when on.
    package static func rows(
        since: Timestamp, limit: Int, _ connection: any SQLConnection
    ) throws -> [AuditEntry] {
        try AuditStore.rows(of: events, since: since, limit: limit, connection).filter(isTold)
    }

    package static func rows(of ids: [[UInt8]], _ connection: any SQLConnection) throws -> [AuditEntry] {
        try ids.compactMap { try AuditStore.row($0, connection) }.sorted { $0.id.lexicographicallyPrecedes($1.id) }
    }

    static func isTold(_ row: AuditEntry) -> Bool {
        switch row.event {
        case EventKind.clientChanged.id:
            let words = Set((row.detail ?? "").split(separator: " ").map(String.init))
            return !words.contains("set") || !words.isDisjoint(with: keys)
        // A secret that has ended by itself was told when it was replaced.
        case EventKind.clientSecretRetired.id: return row.cause != SecretEnd.use.rawValue
        // A user who removes an own passkey is told alone.
        case EventKind.passkeyRemoved.id: return row.cause == "operator"
        default: return true
        }
    }
}
