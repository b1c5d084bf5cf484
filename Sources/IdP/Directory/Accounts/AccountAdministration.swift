import SSOShared
package import Storage

/// The operator's view of accounts, beside a running IdP. Each change is one transaction and holds from the next request
/// on, because every request reads the account again.
package struct AccountAdministration: Sendable {
    package enum Change: Sendable {
        /// Changes nothing.
        case look
        case disable
        case enable
        case signOut

        /// With `:id` and `:address`.
        fileprivate var statements: [String] {
            switch self {
            case .look: []
            case .disable: ["UPDATE account SET disabled = 1 WHERE id = :id"] + AccountAdministration.endingSignIns
            case .enable: ["UPDATE account SET disabled = 0 WHERE id = :id"]
            case .signOut: AccountAdministration.endingSignIns
            }
        }
    }

    /// Ends every sign-in of an account. Sessions and tokens hold the number that is raised here, so one statement ends all
    /// of them, also those that are being made at this moment.
    ///
    /// Everything else that gives a browser an advantage without a new proof ends here too, one statement each. The rows
    /// of `device` belong to ``KnownBrowserStore``, those of `access_token` to ``AccessTokenStore`` and those of `session` to
    /// ``SessionStore``. They go in this transaction so that no crash leaves a half-done change.
    fileprivate static let endingSignIns = [
        "UPDATE account SET sign_outs = sign_outs + 1 WHERE id = :id",
        // A stolen known browser loses its own budgets of emails and guesses.
        "DELETE FROM device WHERE address = :address",
        // Dead already. The list of the user's apps does not show them.
        "DELETE FROM access_token WHERE account_id = :id",
        "DELETE FROM session WHERE owner = :id",
    ]

    let database: any Database

    package init(database: any Database) {
        self.database = database
    }

    /// All accounts, by address.
    package func all() async throws -> [Account] {
        try await database.read { connection in
            try connection.query("SELECT \(Account.columns) FROM account ORDER BY email").map(Account.init)
        }
    }

    /// Changes the account of an address. Upper and lower case are the same.
    ///
    /// - Returns: the account after the change, nil when there is none.
    package func apply(_ change: Change, to address: String) async throws -> Account? {
        let address = address.lowercased()
        return try await database.write { connection in
            guard let account = try AccountStore.find(email: address, connection) else { return nil }
            for statement in change.statements {
                let mailbox = (try? EmailAddress(account.email).mailbox) ?? account.email
                try connection.execute(statement, ["id": .text(account.id), "address": .text(mailbox)])
            }
            return try AccountStore.find(account.id, connection)
        }
    }
}
