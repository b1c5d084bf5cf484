import IdPAccountPages
import IdPAccounts
import IdPApps
import IdPAuthorization
import IdPClients
import IdPFlow
import IdPGate
import IdPMail
import IdPOIDC
import IdPOperations
import IdPPasskeys
import IdPProviderSignIn
import IdPProviders
import IdPSSO
import IdPSignIn
import IdPSignOut
import IdPSigningKeys
package import SSOWeb

/// Everything that can happen in the IdP: the list of each target.
package enum IdPEvents {
    package static let all: [EventKind] = [
        AccountEvents.all,
        AccountPageEvents.all,
        AppEvents.all,
        AuthorizationEvents.all,
        ClientEvents.all,
        FlowEvents.all,
        GateEvents.all,
        MailEvents.all,
        OIDCEvents.all,
        OperationsEvents.all,
        PasskeyEvents.all,
        ProgramEvents.all,
        ProviderEvents.all,
        ProviderSignInEvents.all,
        SSOEvents.all,
        SignInEvents.all,
        SignOutEvents.all,
        SigningKeyEvents.all,
        StorageEvents.all,
        WebEvents.all,
    ].flatMap(\.self)

    /// The events that the audit log has rows of.
    package static var audited: [EventKind] { all.filter(\.hasRow) }
}
