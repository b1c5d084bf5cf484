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
    /// Rows that are read at once.
    private static let page = 200
    /// The keys of a client that say where users and messages go, and who may enter.
    private static let keys: Set<String> = [
        "redirect_uris", "logout_uri", "backchannel_logout_uri", "sign_out_uris", "post_logout_redirect_uris", "access",
        "groups", "expose_groups",
    ]

    /// The rows from a moment on that are not excluded, the oldest first.
    package static func rows(
        since: Timestamp, limit: Int, _ connection: any SQLConnection, except isExcluded: (AuditEntry) throws -> Bool
    ) throws -> [AuditEntry] {
        var (found, last) = ([AuditEntry](), AuditID.prefix(of: since))
        while found.count < limit {
            let page = try AuditStore.rows(of: events, after: last, limit: Self.page, connection)
            found += try page.filter { try isTold($0) && !isExcluded($0) }
            guard page.count == Self.page, let end = page.last else { break }
            last = end.id
        }
        return Array(found.prefix(limit))
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
