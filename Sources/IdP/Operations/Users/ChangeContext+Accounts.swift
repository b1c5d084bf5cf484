package import IdPAccounts
package import IdPClients
package import IdPSignOut
import SSOShared
import SSOWeb
package import Storage

extension AccountStore {
    /// The account of an address that an operator has typed, in upper or lower case.
    ///
    /// - Throws: ``ChangeError`` if there is no such account.
    package static func named(_ address: String, _ connection: any SQLConnection) throws -> Account {
        guard let account = try find(email: address.lowercased(), connection) else {
            throw ChangeError(try UnknownName.account(address, connection))
        }
        return account
    }
}

extension ChangeContext {
    /// As ``AccountStore/named(_:_:)``.
    package func account(_ address: String, _ connection: any SQLConnection) throws -> Account {
        try AccountStore.named(address, connection)
    }

    /// As ``account(_:_:)``, for a change that an account which is to be erased does not take.
    package func keptAccount(_ address: String, _ connection: any SQLConnection) throws -> Account {
        let account = try account(address, connection)
        try account.refuseIfErasing()
        return account
    }

    /// Ends every sign-in of an account, in the caller's transaction. Whatever ends all of them for an operator, or for what an
    /// operator has set, does it here.
    ///
    /// Sessions and tokens hold the number that is raised here, so one statement ends all of them, also those that are being
    /// made at this moment. Everything else that gives a browser an advantage without a new proof ends here too. Clients are
    /// told.
    ///
    /// - Returns: nil where the account was signed in nowhere. Then no row says that a session has ended.
    @discardableResult
    package func endSignIns(
        of account: Account, _ cause: SignOutCause, _ connection: any SQLConnection
    ) throws -> SignOuts.Told? {
        let isSignedIn =
            try AccountStore.isSignedIn(account, at: now, connection)
            || !signOuts.signIns.open(of: account.id, connection).isEmpty
        try AccountStore.endAllSignIns(of: account, connection)
        let told = try signOuts.end(.all(of: account.id), cause, by: actor, wasOpen: isSignedIn, connection) {
            try record($0, connection)
        }
        return isSignedIn ? told : nil
    }

    /// Says that an account is changed.
    func note(_ change: UserChange, _ account: Account, detail: String? = nil, _ connection: any SQLConnection) throws {
        try record(Event(.userChanged, account: account.id, cause: change.rawValue, detail: detail), connection)
    }
}

extension Account {
    /// - Throws: ``ChangeError`` for an account that is to be erased.
    func refuseIfErasing() throws {
        guard let eraseAt else { return }
        throw ChangeError(
            "\(email) is to be erased at \(PlainDate.rfc3339(eraseAt)). Stop that first: idp user erase \(email) --cancel"
        )
    }

    /// The account as it is after a change in the same transaction.
    func changed(_ connection: any SQLConnection) throws -> Changed<Account> {
        Changed(try AccountStore.find(id, connection) ?? self, isChanged: true)
    }

    var unchanged: Changed<Account> { Changed(self, isChanged: false) }
}
