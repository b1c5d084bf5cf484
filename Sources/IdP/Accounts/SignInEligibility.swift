import SSOWeb

/// Owns the rule who may sign in: an address that `IDP_ALLOWED_EMAILS` names, unless its account is disabled.
///
/// Asked at every use of a session and of a token, not only when a user signs in: an address that is taken out of the
/// setting is signed out with the next request (ASVS 8.3.2).
struct SignInEligibility: Sendable {
    let allowed: AllowedEmails

    /// What is known of an address before its owner has proven it.
    struct Standing: Sendable {
        let isEligible: Bool
        let hasAccount: Bool
    }

    /// Looks the account up in either case, so that both answers take the same time.
    func standing(of email: String, _ connection: any SQLConnection) throws -> Standing {
        let account = try AccountStore.find(email: email, connection)
        return Standing(
            isEligible: allowed.contains(email) && account?.isDisabled != true, hasAccount: account != nil)
    }

    func maySignIn(_ account: Account) -> Bool { !account.isDisabled && allowed.contains(account.email) }
}
