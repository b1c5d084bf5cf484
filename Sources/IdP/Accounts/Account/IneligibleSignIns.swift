package import IdPClients
package import Logging
import SSOWeb
import Storage

/// Ends the sign-ins of accounts that may not sign in any more although nobody has changed them, because `IDP_ALLOWED_EMAILS` was
/// narrowed, and tells clients. They stay ended if it names the address again.
package struct IneligibleSignIns: Sendable {
    /// Accounts in one transaction.
    private static let slice = 100

    let accounts: AccountStore
    let audit: AuditStore
    let logger: Logger

    package init(_ accounts: AccountStore, _ audit: AuditStore, _ logger: Logger) {
        (self.accounts, self.audit, self.logger) = (accounts, audit, logger)
    }

    /// - Returns: how many accounts clients are told of.
    @discardableResult package func end() async throws -> Int {
        var (last, count) = ("", 0)
        while true {
            let (ids, ineligible) = try await accounts.database.read { [last] connection in
                let ids = try connection.query(
                    Self.accountsSQL, ["after": .text(last), "limit": .integer(Int64(Self.slice))]
                ).map { try $0.text("account_id") }
                return (ids, try ids.filter { try causeAgainst($0, connection) != nil })
            }
            if !ineligible.isEmpty {
                count += try await accounts.database.write { connection in
                    try ineligible.count { id in
                        guard let cause = try causeAgainst(id, connection) else { return false }
                        if cause == .notAllowed { try Self.endSessions(of: id, connection) }
                        try accounts.signOuts.end(.all(of: id), cause, by: .program, connection) {
                            try audit.record($0, logger, connection)
                        }
                        return true
                    }
                }
            }
            guard ids.count == Self.slice, let next = ids.last else { return count }
            last = next
        }
    }

    /// The accounts with sessions, or with sign-ins at clients that were not ended.
    private static let accountsSQL = """
        SELECT account_id FROM client_sign_in WHERE account_id > :after AND \(ClientSignIns.isOpen)
         UNION SELECT account_id FROM session WHERE account_id > :after ORDER BY account_id LIMIT :limit
        """

    /// The number ends what else carries a sign-in: grants, tokens of apps, a first proof that waits for the second one.
    private static func endSessions(of account: String, _ connection: any SQLConnection) throws {
        try connection.execute("UPDATE account SET sign_outs = sign_outs + 1 WHERE id = :id", ["id": .text(account)])
        try connection.execute("DELETE FROM session WHERE account_id = :id", ["id": .text(account)])
    }

    /// Why an account may not sign in; nil for one that may.
    private func causeAgainst(_ id: String, _ connection: any SQLConnection) throws -> SignOutCause? {
        guard let account = try AccountStore.find(id, connection) else { return .erased }
        switch accounts.eligibility.reason(account) {
        case nil: return nil
        case .disabled: return .disabled
        case .ended: return .endDate
        case .notAllowed: return .notAllowed
        }
    }
}
