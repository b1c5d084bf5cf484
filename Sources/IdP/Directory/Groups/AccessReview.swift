package import Logging
package import Storage

/// What a new list of clients means for access: warns of groups that nobody has made, and finds those who have lost access.
package struct AccessReview: Sendable {
    /// Accounts in one transaction.
    private static let slice = 100

    package let database: any Database
    let audit: AuditStore
    let signOuts: SignOuts
    let logger: Logger

    package init(database: any Database, audit: AuditStore, signOuts: SignOuts, logger: Logger) {
        (self.database, self.audit, self.signOuts, self.logger) = (database, audit, signOuts, logger)
    }

    /// Warns of every group that a client names and nobody has made: at the start, and with every new list.
    package static func warn(about clients: [Client], _ database: any Database, _ logger: Logger) async {
        do {
            let rules = clients.map(ClientGroupRules.init)
            for warning in try await database.read({ try GroupStore.warnings(about: rules, $0) }) {
                logger.warning("clients_file_warning", metadata: ["warning": "\(warning)"])
            }
        } catch {
            logger.warning("access_review_failed", metadata: ["cause": "\(error)"])
        }
    }

    /// Reports the users who have signed in at a client and may not enter it with the new list: its rule is another one, or it
    /// was dropped. The grants of all others are refused without it.
    package func compare(_ old: [Client], with new: [Client]) async {
        do {
            for client in old {
                let now = new.first { $0.id == client.id }?.access ?? .groups([])
                guard now != client.access, case .groups = now else { continue }
                try await end(client.id, now)
            }
        } catch {
            logger.warning("access_review_failed", metadata: ["cause": "\(error)"])
        }
    }

    private func end(_ client: String, _ access: ClientAccess) async throws {
        let values: [String: SQLValue] = ["client": .text(client), "access": AccessHolds.value(access)]
        let lost = try await database.read { try $0.query(Self.lostSQL, values).map { try $0.text("account_id") } }
        for start in stride(from: 0, to: lost.count, by: Self.slice) {
            let slice = lost[start..<min(start + Self.slice, lost.count)]
            try await database.write { connection in
                // Some may have joined a group meanwhile.
                let accounts = try slice.filter { try !access.admits(account: $0, connection) }
                try AccessLoss.report(accounts: accounts, client: client, by: .program, signOuts, connection) {
                    try audit.write($0, connection)
                }
            }
        }
    }

    /// On a reader, because it looks at every sign-in at clients.
    private static let lostSQL = """
        SELECT DISTINCT account_id FROM client_sign_in
         WHERE client_id = :client AND ended_at IS NULL AND NOT \(AccessHolds.sql("client_sign_in.account_id"))
        """
}
