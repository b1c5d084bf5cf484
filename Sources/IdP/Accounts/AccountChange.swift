import SSOWeb

/// What has changed about how a user signs in.
enum AccountChange: Sendable, Equatable {
    case linked(provider: String)
    case unlinked(provider: String)
    /// Ended by the first proof of the account's address.
    case revoked(provider: String)
}

/// Tells the owner of an account what has changed.
protocol AccountChangeReporter: Sendable {
    /// Reports a change, in the caller's transaction.
    func report(_ change: AccountChange, of account: Account, _ connection: any SQLConnection) throws
}

struct UnreportedChanges: AccountChangeReporter {
    func report(_ change: AccountChange, of account: Account, _ connection: any SQLConnection) throws {}
}
