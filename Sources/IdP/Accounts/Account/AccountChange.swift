package import SSOWeb
package import Storage

/// What has changed about how a user signs in, or what its owner should know of it. Most name the id of a provider.
package enum AccountChange: Sendable, Equatable {
    case linked(provider: String)
    case unlinked(provider: String)
    /// Ended by the first proof of the account's address.
    case revoked(provider: String)
    /// Ended by the provider's word, and every sign-in of the account with it.
    case withdrawn(provider: String)
    /// By the name that its user has given it.
    case passkeyAdded(name: String)
    case passkeyRenamed(name: String)
    case passkeyRemoved(name: String)
    /// Ended by the first proof of the account's address.
    case passkeysRevoked
    /// The service has another host, where they do not work.
    case passkeysForgotten
    /// The counter of a passkey says that there may be a copy of its key.
    case passkeyCopied
    /// For the first time by email, to an account that began by an operator's word.
    case firstMailbox
    /// By a link that an operator has printed.
    case printedLinkUsed
    /// With a passkey, or with a provider, in a browser that was not known.
    case signedInByPasskey, signedInByProvider(provider: String)
    /// The account has another address, by an operator. Both addresses are told.
    case addressChanged(from: String)
}

/// The request that has changed an account, as far as its owner is told.
package struct ChangeOrigin: Sendable {
    /// That of the request, or of the account's latest sign-in where no request of the user is the cause.
    package let language: Language
    /// The kind of device that sent the request, as it is stored; nil for a request of another server.
    package let device: String?

    package init(language: Language, device: String?) {
        (self.language, self.device) = (language, device)
    }

    /// A change that no request of the user has caused.
    package init(withoutRequestOf account: Account) {
        self.init(language: account.language ?? .english, device: nil)
    }
}

/// Tells the owner of an account what has changed.
package protocol AccountChangeReporter: Sendable {
    /// Reports a change, in the caller's transaction.
    func report(
        _ change: AccountChange, of account: Account, by origin: ChangeOrigin, _ connection: any SQLConnection
    ) throws
}
