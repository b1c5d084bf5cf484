package import SSOShared
package import SSOWeb
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

        /// Whether an account is so already. Ending sign-ins always changes something: the number is raised.
        fileprivate func isDone(_ account: Account) -> Bool {
            switch self {
            case .look: true
            case .disable: account.isDisabled
            case .enable: !account.isDisabled
            case .signOut: false
            }
        }

        /// The word of the audit log.
        fileprivate var cause: String {
            switch self {
            case .look: "look"
            case .disable: "disabled"
            case .enable: "enabled"
            case .signOut: "signed_out"
            }
        }

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
    let actor: AuditActor
    let audit: AuditStore

    /// - Parameter actor: who makes the changes, for the audit log.
    package init(
        database: any Database, by actor: AuditActor = .command(user: "unknown", sudo: nil),
        clock: ServiceClock = .system(), randomness: any Randomness = SystemRandomness()
    ) {
        (self.database, self.actor) = (database, actor)
        audit = AuditStore(database: database, clock: clock, randomness: randomness)
    }

    /// An account after a change.
    package struct Changed: Sendable {
        package let account: Account
        /// Whether the change has changed anything.
        package let isChanged: Bool
    }

    /// All accounts, by address.
    package func all() async throws -> [Account] {
        try await database.read { connection in
            try connection.query("SELECT \(Account.columns) FROM account ORDER BY email").map(Account.init)
        }
    }

    /// Changes the account of an address. Upper and lower case are the same.
    ///
    /// One transaction with the row of the audit log. A change that changes nothing has no row.
    ///
    /// - Returns: the account after the change, nil when there is none.
    package func apply(_ change: Change, to address: String) async throws -> Changed? {
        let address = address.lowercased()
        return try await database.write { connection in
            guard let account = try AccountStore.find(email: address, connection) else { return nil }
            if change.isDone(account) { return Changed(account: account, isChanged: false) }
            for statement in change.statements {
                let mailbox = (try? EmailAddress(account.email).mailbox) ?? account.email
                try connection.execute(statement, ["id": .text(account.id), "address": .text(mailbox)])
            }
            try audit.write(AuditRow(.userChanged, by: actor, account: account.id, cause: change.cause), connection)
            return try AccountStore.find(account.id, connection).map { Changed(account: $0, isChanged: true) }
        }
    }

    /// The account of an address, in upper or lower case.
    package func account(of address: String) async throws -> Account? {
        try await database.read { try AccountStore.find(email: address.lowercased(), $0) }
    }
}
