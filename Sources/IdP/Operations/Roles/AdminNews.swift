package import IdPAccounts
package import IdPClients
package import SSOWeb
package import Storage

/// Which rows of the audit log all admins are told of: what a thief of an admin's session does first.
package enum AdminNews {
    private static let events = [
        EventKind.roleChanged.id, EventKind.clientChanged.id, EventKind.clientSecretAdded.id,
        EventKind.clientSecretRetired.id, EventKind.passkeyRemoved.id, EventKind.passkeysForgotten.id,
        EventKind.auditExported.id, EventKind.userChanged.id,
    ]
    /// Changes that keep a user out, who may be an admin.
    private static let keepingOut: [UserChange] = [.disabled, .eraseRequested, .endDate, .imported]
    /// The keys of a client that neither send anything elsewhere nor let anybody in.
    private static let quietKeys: Set<String> = ["name", "logo", "hidden", "contact", "upstream"]
    /// Rows that are read at once.
    private static let page = 200

    /// The rows from a moment on that are not excluded, the oldest first.
    ///
    /// - Parameter named: the addresses of `IDP_ADMINS`.
    package static func rows(
        since: Timestamp, limit: Int, named: AdminAddresses, _ connection: any SQLConnection,
        except isExcluded: (AuditEntry) throws -> Bool
    ) throws -> [AuditEntry] {
        let granted = Dictionary(
            try RoleStore.all(connection).filter { $0.role == .admin }.map { ($0.account.id, $0.at) }
        ) { first, _ in first }
        let ofSetting = Set(try named.all.compactMap { try AccountStore.find(email: $0, connection)?.id })
        func isAboutAdmin(_ row: AuditEntry) -> Bool {
            guard let account = row.account else { return false }
            return ofSetting.contains(account) || granted[account].map { $0 <= row.at } ?? false
        }
        var (found, last) = ([AuditEntry](), AuditID.prefix(of: since))
        while found.count < limit {
            let page = try AuditStore.rows(
                of: events, withCauses: (EventKind.userChanged.id, keepingOut.map(\.rawValue)), after: last,
                limit: Self.page, connection)
            found += try page.filter {
                try isTold($0) && ($0.event != EventKind.userChanged.id || isAboutAdmin($0)) && !isExcluded($0)
            }
            guard page.count == Self.page, let end = page.last else { break }
            last = end.id
        }
        return Array(found.prefix(limit))
    }

    package static func rows(of ids: [[UInt8]], _ connection: any SQLConnection) throws -> [AuditEntry] {
        try ids.compactMap { try AuditStore.row($0, connection) }.sorted { $0.id.lexicographicallyPrecedes($1.id) }
    }

    /// The accounts that a row has kept out of the admin pages. Their users are told as well.
    package static func keptOut(by rows: [AuditEntry]) -> Set<String> {
        Set(
            rows.filter {
                $0.event == EventKind.userChanged.id || $0.event == EventKind.roleChanged.id && $0.cause == "revoked"
            }.compactMap(\.account))
    }

    static func isTold(_ row: AuditEntry) -> Bool {
        let words = Set((row.detail ?? "").split(separator: " ").map(String.init))
        switch row.event {
        case EventKind.clientChanged.id:
            return !words.contains("set") || !words.subtracting(quietKeys.union(["set"])).isEmpty
        // A secret that has ended by itself was told when it was replaced.
        case EventKind.clientSecretRetired.id: return row.cause != SecretEnd.use.rawValue
        // A user who removes an own passkey is told alone.
        case EventKind.passkeyRemoved.id: return row.cause == "operator"
        case EventKind.userChanged.id: return row.cause != UserChange.imported.rawValue || words.contains("until")
        default: return true
        }
    }
}
