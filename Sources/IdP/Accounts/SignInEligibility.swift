import SSOWeb

/// Owns the rule who may sign in: an account that is not disabled, or an address that `IDP_ALLOWED_EMAILS` names.
struct SignInEligibility: Sendable {
    let allowed: AllowedEmails

    /// Looks the account up in either case, so that both answers take the same time.
    func mayHaveLetter(_ email: String, _ connection: any SQLConnection) throws -> Bool {
        guard let account = try AccountStore.find(email: email, connection) else { return allowed.contains(email) }
        return !account.isDisabled
    }
}
