package import IdPAccounts
package import IdPClients
package import SSOShared
import SSOWeb
package import Storage

/// Makes a sign-in link that an operator prints, for an account that nobody has signed in to: so that no command signs an
/// operator in as another user.
package struct PrintLink: OperatorChange {
    private let address: EmailAddress
    private let key: PrintedLinkKey
    private let eligibility: SignInEligibility

    /// - Parameter key: of the new link.
    package init(_ key: PrintedLinkKey, for address: EmailAddress, _ eligibility: SignInEligibility) {
        (self.key, self.address, self.eligibility) = (key, address, eligibility)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        if try AccountStore.find(email: address.text, connection) == nil {
            guard eligibility.allowed.contains(address.text) else {
                throw ChangeError(
                    "\(address.text) may not sign in: IDP_ALLOWED_EMAILS does not name it. Add it first: idp user import FILE, or, where emails are sent, idp user invite \(address.text)"
                )
            }
            try AccountStore.add(
                AddedAccount(email: address, name: nil, end: nil, language: nil, .named), context, connection)
        }
        let account = try context.keptAccount(address.text, connection)
        guard eligibility.maySignIn(account) else {
            throw ChangeError(
                "\(account.email) may not sign in: it is disabled, its end date has passed, or it was not added. To see what to do: idp trace \(account.email)"
            )
        }
        guard try !AccountStore.hasBegun(account, connection) else {
            throw ChangeError(
                "a user has signed in to \(account.email) already. A user who has lost the mailbox: idp user set-address \(account.email) NEW. Without mail, and with all passkeys lost, only a new account is left, which services take for a new user: idp user erase \(account.email) --now, then this command again, after idp user import if IDP_ALLOWED_EMAILS does not name the address"
            )
        }
        try PrintedLinkStore.insert(key, for: account, at: context.now, connection)
        try context.record(Event(.signInLinkMade, account: account.id, cause: "made"), connection)
        return try account.changed(connection)
    }
}

/// Takes a printed link back.
package struct WithdrawLink: OperatorChange {
    private let address: String

    package init(_ address: String) { self.address = address }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.account(address, connection)
        guard try PrintedLinkStore.withdraw(of: account.id, at: context.now, connection) else {
            return account.unchanged
        }
        try context.record(Event(.signInLinkMade, account: account.id, cause: "withdrawn"), connection)
        return try account.changed(connection)
    }
}
