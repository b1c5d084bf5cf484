import IdPAccounts
import IdPClients
import IdPFlow
import IdPMail
import IdPSignIn
import SSOWeb

/// Everything that can happen in the IdP: the list of each target.
enum IdPEvents {
    static let all: [EventKind] =
        AuditedEvents.all + AccountEvents.all + FlowEvents.all + MailEvents.all + SignInEvents.all + StorageEvents.all
        + WebEvents.all

    /// The events that the audit log has rows of.
    static var audited: [EventKind] { all.filter(\.hasRow) }
}
