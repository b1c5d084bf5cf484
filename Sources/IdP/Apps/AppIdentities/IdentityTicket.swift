import SSOShared

/// What lets the system browser add a provider for an app: `slt_…`. It names an account, an app and a provider, works once
/// and within a minute, and signs no user in.
typealias IdentityTicket = Secret<IdentityTicketKind>

/// The kind of ``IdentityTicket``.
enum IdentityTicketKind: SecretKind {
    static let prefix = "slt_"
}

/// Why a ticket or a code of a link is refused. The raw values are stable: the log has them as `reason`.
enum IdentityTicketError: String, Error, Sendable, CaseIterable {
    /// Missing, given twice, or not in its form.
    case malformed
    /// Never issued, replaced by a newer ticket of the same app, or purged.
    case unknown
    case expired
    case used
    /// The ticket is for another provider. It is void from now on.
    case wrongProvider = "wrong_provider"
    /// An attacker has the code and not the verifier. The code is void from now on.
    case wrongVerifier = "wrong_verifier"
    /// The access token is not the one that asked for the ticket. The code is void from now on.
    case otherApp = "other_app"
    /// The app that asked for the ticket is signed out, or its account may not sign in any more.
    case signedOut = "signed_out"
    /// `IDP_PROVIDERS_FILE` does not have the provider any more.
    case providerRemoved = "provider_removed"
    /// `IDP_NATIVE_APPS` does not name the app any more: the settings have changed since the code was issued.
    case notRegistered = "redirect_not_registered"

    /// Whether an attack may be under way.
    var isAlert: Bool { [.used, .wrongProvider, .wrongVerifier, .otherApp].contains(self) }
}
