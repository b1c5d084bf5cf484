package import IdPAccounts
package import IdPClients
import IdPSignOut
import SSOShared
import SSOWeb
package import Storage

/// Erases an account: after seven days in which it is disabled and can be kept, or at once. The audit log keeps its id.
package struct EraseUser: OperatorChange {
    package enum Mode: Sendable {
        case afterSevenDays, now
        /// Keeps an account that was to be erased. It is as it was before, signed out.
        case cancel
    }

    /// Long enough to notice a mistake.
    package static let delay: Duration = .days(7)

    private let address: String
    private let mode: Mode

    package init(_ address: String, _ mode: Mode = .afterSevenDays) { (self.address, self.mode) = (address, mode) }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.account(address, connection)
        switch mode {
        case .afterSevenDays:
            guard account.eraseAt == nil else { return account.unchanged }
            let moment = context.now + Self.delay
            try AccountStore.set(eraseAt: moment, account.id, connection)
            try context.endSignIns(of: account, .erased, connection)
            try context.note(.eraseRequested, account, detail: PlainDate.rfc3339(moment), connection)
        case .cancel:
            guard account.eraseAt != nil else { return account.unchanged }
            try AccountStore.set(eraseAt: nil, account.id, connection)
            try context.note(.eraseCancelled, account, connection)
        case .now: try context.erase(account, connection)
        }
        return try account.changed(connection)
    }
}

/// Erases an account whose seven days are over.
struct EraseDueUser: OperatorChange {
    let id: String

    func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account?> {
        guard let account = try AccountStore.find(id, connection), let moment = account.eraseAt, moment <= context.now
        else { return Changed(nil, isChanged: false) }
        try context.erase(account, connection)
        return Changed(account, isChanged: true)
    }
}

extension ChangeContext {
    /// Deletes an account and what is kept of its user.
    fileprivate func erase(_ account: Account, _ connection: any SQLConnection) throws {
        try endSignIns(of: account, .erased, connection)
        try PasskeyStore.removeAll(of: account.id, .erased, connection) { try record($0, connection) }
        for role in AdminRole.allCases where try RoleStore.revoke(role, of: account.id, connection) {
            try record(Event(.roleChanged, account: account.id, cause: "revoked", detail: role.rawValue), connection)
        }
        try AccountStore.erase(account, at: now, connection)
        try record(Event(.userErased, account: account.id), connection)
    }
}
