import SSOWeb

/// Owns the rule who may sign in: an account that is not disabled, or an address that `IDP_ALLOWED_EMAILS` names.
struct SignInEligibility: Sendable {
    let allowed: AllowedEmails

    /// What is known of an address before its owner has proven it.
    struct Standing: Sendable {
        let isEligible: Bool
        let hasAccount: Bool
    }

    /// Looks the account up in either case, so that both answers take the same time.
    func standing(of email: String, _ connection: any SQLConnection) throws -> Standing {
        guard let account = try AccountStore.find(email: email, connection) else {
            return Standing(isEligible: allowed.contains(email), hasAccount: false)
        }
        return Standing(isEligible: !account.isDisabled, hasAccount: true)
    }
}
