package import IdPClients
package import Logging
import SSOWeb
import Storage

/// Tells clients about accounts that may not sign in any more although nobody has changed them: `IDP_ALLOWED_EMAILS` was
/// narrowed. Sessions of such accounts do not hold from the start of the program on.
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
                let ids = try accounts.signOuts.signIns.accounts(after: last, limit: Self.slice, connection)
                return (ids, try ids.filter { try causeAgainst($0, connection) != nil })
            }
            if !ineligible.isEmpty {
                count += try await accounts.database.write { connection in
                    try ineligible.count { id in
                        guard let cause = try causeAgainst(id, connection) else { return false }
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
