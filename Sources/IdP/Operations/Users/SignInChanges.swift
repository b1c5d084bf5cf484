package import IdPAccounts
package import IdPClients
import IdPSignOut
package import Storage

/// Keeps an account from signing in, and ends its sign-ins.
package struct DisableUser: OperatorChange {
    private let address: String

    package init(_ address: String) { self.address = address }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.account(address, connection)
        // Also of one that is to be erased: it stays disabled if it is kept.
        guard !account.isDisabledByOperator else { return account.unchanged }
        try AccountStore.set(disabled: true, account.id, connection)
        try context.endSignIns(of: account, .disabled, connection)
        try context.note(.disabled, account, connection)
        return try account.changed(connection)
    }
}

/// Lets a disabled account sign in again. What ended when it was disabled does not come back.
package struct EnableUser: OperatorChange {
    private let address: String

    package init(_ address: String) { self.address = address }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.keptAccount(address, connection)
        guard account.isDisabled else { return account.unchanged }
        try AccountStore.set(disabled: false, account.id, connection)
        try context.note(.enabled, account, connection)
        return try account.changed(connection)
    }
}

/// Ends all sign-ins of an account, which may sign in again at once. Also where there are none, a sign-in that is being made
/// at this moment ends.
package struct SignOutUser: OperatorChange {
    private let address: String

    package init(_ address: String) { self.address = address }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.account(address, connection)
        guard try context.endSignIns(of: account, .byOperator, connection) != nil else { return account.unchanged }
        try context.note(.signedOut, account, connection)
        return try account.changed(connection)
    }
}
