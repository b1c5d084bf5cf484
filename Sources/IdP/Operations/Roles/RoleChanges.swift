package import IdPAccounts
package import IdPClients
import SSOWeb
package import Storage

/// Gives an account a role on the admin pages. It counts once the mailbox was proven, or a passkey was added.
package struct GrantRole: OperatorChange {
    private let role: AdminRole
    private let address: String

    package init(_ role: AdminRole, to address: String) { (self.role, self.address) = (role, address) }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.keptAccount(address, connection)
        try context.refuseOneself(account)
        guard try RoleStore.grant(role, to: account.id, by: context.actor, at: context.now, connection) else {
            return account.unchanged
        }
        try context.record(
            Event(.roleChanged, account: account.id, cause: "granted", detail: role.rawValue), connection)
        return try account.changed(connection)
    }
}

/// Takes a role away that was granted. The next request of the account has it no more.
package struct RevokeRole: OperatorChange {
    private let role: AdminRole
    private let address: String
    private let named: AdminAddresses
    private let eligibility: SignInEligibility
    private let isForced: Bool

    /// - Parameters:
    ///   - named: the addresses of `IDP_ADMINS`, whose role only the setting takes away.
    ///   - eligibility: who may sign in, which an admin who stays must.
    ///   - isForced: also of the last admin.
    package init(
        _ role: AdminRole, of address: String, named: AdminAddresses, _ eligibility: SignInEligibility,
        isForced: Bool = false
    ) {
        (self.role, self.address, self.named) = (role, address, named)
        (self.eligibility, self.isForced) = (eligibility, isForced)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.account(address, connection)
        try context.refuseOneself(account)
        if role == .admin, named.contains(account.email) {
            throw ChangeError(
                "IDP_ADMINS names \(account.email), and no command takes that away. Change the setting, and restart.")
        }
        if role == .admin, !isForced {
            let others = try RoleStore.admins(named: named, eligibility, connection).filter { $0.id != account.id }
            let isAdmin = try RoleStore.role(of: account, named: named, connection) == .admin
            // Those of the setting are admins from their first sign-in on.
            let isNamed = named.all.contains { !$0.utf8.elementsEqual(account.email.utf8) }
            guard !isAdmin || isNamed || !others.isEmpty else {
                throw ChangeError(
                    "\(account.email) is the last admin. Grant the role to another account first, or use --force.")
            }
        }
        guard try RoleStore.revoke(role, of: account.id, connection) else { return account.unchanged }
        try context.record(
            Event(.roleChanged, account: account.id, cause: "revoked", detail: role.rawValue), connection)
        return try account.changed(connection)
    }
}

extension ChangeContext {
    /// - Throws: ``ChangeError`` for a user who would change an own role.
    fileprivate func refuseOneself(_ account: Account) throws {
        guard case .user(account.id) = actor else { return }
        throw ChangeError("no admin changes their own role. Ask another admin, or use the command.")
    }
}
