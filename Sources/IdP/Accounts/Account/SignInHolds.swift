package import Storage

/// The rule that a sign-in still holds, whatever carries it (a session, a token, a code): its account may sign in, and its
/// sign-ins were not ended all at once since then. The one condition for every place that asks.
package struct SignInHolds: Sendable {
    let eligibility: SignInEligibility

    package enum Verdict: Sendable {
        case holds(Account)
        /// The account is gone, or may not sign in (``SignInEligibility``).
        case mayNotSignIn
        /// All sign-ins of the account were ended since then.
        case ended
    }

    /// - Parameter signOuts: the account's ``Account/signOuts`` at the sign-in.
    package func verdict(
        _ accountID: String, signOuts: Int64, _ connection: any SQLConnection
    ) throws -> Verdict {
        guard let account = try AccountStore.find(accountID, connection), eligibility.maySignIn(account) else {
            return .mayNotSignIn
        }
        return account.signOuts == signOuts ? .holds(account) : .ended
    }

    /// The account of a sign-in that holds; nil for any other.
    package func account(_ accountID: String, signOuts: Int64, _ connection: any SQLConnection) throws -> Account? {
        guard case .holds(let account) = try verdict(accountID, signOuts: signOuts, connection) else { return nil }
        return account
    }

    /// The condition on a row with `account_id` and `account_sign_outs`, as far as the database knows, with `:now`: whether
    /// `IDP_ALLOWED_EMAILS` names the address goes into the statement as a value.
    ///
    /// - Parameter row: the name of the table in the statement.
    package static func sql(_ row: String) -> String {
        accountSQL(row, and: "AND a.sign_outs = \(row).account_sign_outs")
    }

    /// The same for a row that hangs on a sign-in at a client (``ClientSignIns/holds(_:kind:)``). Whatever raises the number of
    /// sign-outs ends those of the account in the same transaction, but for the one session that goes on.
    package static func atClientSQL(_ row: String) -> String { accountSQL(row, and: "") }

    private static func accountSQL(_ row: String, and condition: String) -> String {
        """
        EXISTS (SELECT 1 FROM account a WHERE a.id = \(row).account_id AND a.disabled = 0 AND a.erase_at IS NULL
                   AND (a.ends_at IS NULL OR a.ends_at > :now) \(condition))
        """
    }
}

extension SignInEligibility {
    package var signIn: SignInHolds { SignInHolds(eligibility: self) }
}
