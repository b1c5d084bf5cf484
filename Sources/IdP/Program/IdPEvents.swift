import IdPAccountPages
import IdPAccounts
import IdPApps
import IdPClients
import IdPFlow
import IdPProviderSignIn
import IdPProviders
import SSOWeb

/// Everything that can happen in the IdP: the list of each target.
enum IdPEvents {
    static let all: [EventKind] =
        AuditedEvents.all + AccountEvents.all + AccountPageEvents.all + AppEvents.all + FlowEvents.all
        + ProviderEvents.all + ProviderSignInEvents.all

    /// The events that the audit log has rows of.
    static var audited: [EventKind] { all.filter(\.hasRow) }
}
