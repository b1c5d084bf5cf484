package import SSOWeb
package import Storage

/// Owns the rule who may sign in: an address that `IDP_ALLOWED_EMAILS` names, or an account that an operator added, unless
/// the account is disabled or its end date is over.
///
/// Checked at every use of a session and of a token, not only at sign-in: an address that is removed from the setting is
/// signed out with the next request (ASVS 8.3.2).
package struct SignInEligibility: Sendable {
    package let allowed: AllowedEmails
    private let clock: ServiceClock

    package init(allowed: AllowedEmails, clock: ServiceClock) { (self.allowed, self.clock) = (allowed, clock) }

    /// For a command, which does not read `IDP_ALLOWED_EMAILS` and lets nobody sign in.
    package static let ofCommand = SignInEligibility(allowed: AllowedEmails(), clock: .system())

    /// Why an address or account may not sign in.
    package enum Reason: Sendable {
        /// `IDP_ALLOWED_EMAILS` does not name the address, and nobody has added its account.
        case notAllowed
        case disabled
        /// The account's end date is over.
        case ended
    }

    /// What is known about an address before its owner has proven it.
    package struct Standing: Sendable {
        /// Nil for one that may sign in.
        package let reason: Reason?
        /// The id of its account.
        package let account: String?

        package var isEligible: Bool { reason == nil }
    }

    /// Looks at the account and at the setting for every address, so that each answer takes the same time.
    package func standing(of email: String, _ connection: any SQLConnection) throws -> Standing {
        let account = try AccountStore.find(email: email, connection)
        return Standing(reason: reason(email, account), account: account?.id)
    }

    package func maySignIn(_ account: Account) -> Bool { reason(account) == nil }

    /// Why an account may not sign in; nil for one that may.
    package func reason(_ account: Account) -> Reason? { reason(account.email, account) }

    private func reason(_ email: String, _ account: Account?) -> Reason? {
        let isNamed = allowed.contains(email)
        if !isNamed && account?.addedAt == nil { return .notAllowed }
        if account?.isDisabled == true { return .disabled }
        return account?.endsAt.map { $0 <= clock.now() } == true ? .ended : nil
    }
}
