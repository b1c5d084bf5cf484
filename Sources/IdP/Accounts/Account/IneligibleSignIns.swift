package import IdPClients
import IdPSignOut
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
        let told = try await end { try accounts.signOuts.signIns.accounts(after: $0, limit: Self.slice, $1) }
        // What other causes end was ended when they came.
        return try await told + end(for: .notAllowed, Self.withSessions)
    }

    /// - Parameters:
    ///   - only: the one cause that counts; nil for every one.
    ///   - next: the accounts that are looked at, after one of them, in the order of their ids.
    private func end(
        for only: SignOutCause? = nil, _ next: @escaping @Sendable (String, any SQLConnection) throws -> [String]
    ) async throws -> Int {
        var (last, count) = ("", 0)
        while true {
            let (ids, ineligible) = try await accounts.database.read { [last] connection in
                let ids = try next(last, connection)
                return (ids, try ids.filter { try causeAgainst($0, only, connection) != nil })
            }
            if !ineligible.isEmpty {
                count += try await accounts.database.write { connection in
                    try ineligible.count { id in
                        guard let cause = try causeAgainst(id, only, connection) else { return false }
                        if cause == .notAllowed { try Self.endSessions(of: id, connection) }
                        try accounts.signOuts.end(.all(of: id), cause, by: .program, connection) {
                            try audit.record($0, logger, connection)
                        }
                        return true
                    }
                }
            }
            guard ids.count == Self.slice, let end = ids.last else { return count }
            last = end
        }
    }

    @Sendable private static func withSessions(
        after last: String, _ connection: any SQLConnection
    ) throws -> [String] {
        try connection.query(
            """
            SELECT DISTINCT account_id FROM session
             WHERE account_id IS NOT NULL AND account_id > :after ORDER BY account_id LIMIT :limit
            """, ["after": .text(last), "limit": .integer(Int64(slice))]
        ).map { try $0.text("account_id") }
    }

    /// The number ends what else carries a sign-in: grants, tokens of apps, a first proof that waits for the second one.
    private static func endSessions(of account: String, _ connection: any SQLConnection) throws {
        try connection.execute("UPDATE account SET sign_outs = sign_outs + 1 WHERE id = :id", ["id": .text(account)])
        try connection.execute("DELETE FROM session WHERE account_id = :id", ["id": .text(account)])
    }

    /// Why an account may not sign in; nil for one that may.
    private func causeAgainst(
        _ id: String, _ only: SignOutCause?, _ connection: any SQLConnection
    ) throws -> SignOutCause? {
        let cause = try causeAgainst(id, connection)
        return only == nil || cause == only ? cause : nil
    }

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
