import SSOWeb

/// What an operator does to accounts, beside a running IdP: each change is one transaction, and holds from the next
/// request on, since requests read the account again.
struct AccountAdministration: Sendable {
    enum Change: Sendable {
        /// Nothing: to look at it.
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

    /// Ends every sign-in of an account, and with them what only a sign-in may bring about. Sessions and tokens carry the
    /// number that is raised here, so that one statement ends all of them, also those that are made in this moment.
    ///
    /// What else lets a browser in without a new proof is ended here as well, one statement each.
    fileprivate static let endingSignIns = [
        "UPDATE account SET sign_outs = sign_outs + 1 WHERE id = :id",
        // Known browsers (``DeviceStore``): a stolen one loses its own budgets of emails and guesses.
        "DELETE FROM device WHERE address = :address",
    ]

    let database: any Database

    /// All accounts, by address.
    func all() async throws -> [Account] {
        try await database.read { connection in
            try connection.query("SELECT \(Account.columns) FROM account ORDER BY email").map(Account.init)
        }
    }

    /// Changes the account of an address, in any case of its letters.
    ///
    /// - Returns: the account as it is afterwards, nil when there is none.
    func apply(_ change: Change, to address: String) async throws -> Account? {
        let address = address.lowercased()
        return try await database.write { connection in
            guard let account = try AccountStore.find(email: address, connection) else { return nil }
            for statement in change.statements {
                let mailbox = (try? LetterAddress(account.email).mailbox) ?? account.email
                try connection.execute(statement, ["id": .text(account.id), "address": .text(mailbox)])
            }
            return try AccountStore.find(account.id, connection)
        }
    }
}
