import IdPAccountPages
import IdPAccounts
import IdPApps
import IdPClients
import IdPFlow
import IdPMail
import IdPProtocols
import IdPProviderSignIn
import IdPProviders
import IdPSignIn
import SSOWeb

/// Everything that can happen in the IdP: the list of each target.
enum IdPEvents {
    static let all: [EventKind] = [
        AccountEvents.all,
        AccountPageEvents.all,
        AppEvents.all,
        AuditedEvents.all,
        ClientEvents.all,
        FlowEvents.all,
        MailEvents.all,
        ProtocolEvents.all,
        ProviderEvents.all,
        ProviderSignInEvents.all,
        SignInEvents.all,
        StorageEvents.all,
        WebEvents.all,
    ].flatMap(\.self)

    /// The events that the audit log has rows of.
    static var audited: [EventKind] { all.filter(\.hasRow) }
}
