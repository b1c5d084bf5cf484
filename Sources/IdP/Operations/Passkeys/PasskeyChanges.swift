package import IdPAccounts
package import IdPClients
import IdPSignOut
import SSOShared
import SSOWeb
package import Storage

/// Removes a passkey of a user, also the last identity: the user signs in by email then. Every sign-in of the account ends.
package struct RemovePasskey: OperatorChange {
    private let address, passkey: String
    private let changes: any AccountChangeReporter

    /// - Parameter passkey: as `idp user passkeys` prints it.
    package init(_ passkey: String, of address: String, reporting changes: any AccountChangeReporter) {
        (self.address, self.passkey, self.changes) = (address, passkey, changes)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.account(address, connection)
        guard
            case .removed(let removed) = try PasskeyStore.remove(
                passkey, of: account.id, keepingLast: false, connection)
        else {
            throw ChangeError(
                "\(account.email) has no passkey \(passkey). All of them: idp user passkeys \(account.email)")
        }
        try context.endSignIns(of: account, .identityRemoved, connection)
        try context.record(PasskeyEnd.operator.event(of: removed.id, account.id), connection)
        try changes.report(
            .passkeyRemoved(name: removed.name), of: account, by: ChangeOrigin(withoutRequestOf: account), connection)
        return try account.changed(connection)
    }
}

/// Removes the passkeys of users, because the service has moved to a host where they do not work: of all, in slices.
package struct ForgetPasskeys: OperatorChange {
    private let changes: any AccountChangeReporter
    private let limit: Int

    /// - Parameter limit: users in one transaction.
    package init(reporting changes: any AccountChangeReporter, atMost limit: Int = 100) {
        (self.changes, self.limit) = (changes, limit)
    }

    /// Makes the change until no user has a passkey. What was done before an error stays, and the next run does the rest.
    ///
    /// - Returns: how many users had one.
    package func makeForAll(by operators: OperatorChanges) async throws -> Changed<Int> {
        var users = 0
        while true {
            let slice = try await operators.make(self)
            users += slice.result
            guard slice.isChanged else { return Changed(users, isChanged: users > 0) }
        }
    }

    /// - Returns: how many users had one.
    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Int> {
        let owners = try PasskeyStore.owners(atMost: limit, connection)
        for account in owners {
            try PasskeyStore.removeAll(of: account.id, .forgotten, connection) { try context.record($0, connection) }
            try context.endSignIns(of: account, .identityRemoved, connection)
            try changes.report(
                .passkeysForgotten, of: account, by: ChangeOrigin(withoutRequestOf: account), connection)
        }
        if !owners.isEmpty { try context.record(Event(.passkeysForgotten, detail: "\(owners.count)"), connection) }
        return Changed(owners.count, isChanged: !owners.isEmpty)
    }
}
