import IdPAccounts
import IdPClients
import IdPFlow
import SSOWeb
import StorageEngines

/// Everything that can happen in the IdP: the list of each target.
enum IdPEvents {
    static let all: [EventKind] = AuditedEvents.all + AccountEvents.all + FlowEvents.all + DatabaseEvents.all

    /// The events that the audit log has rows of.
    static var audited: [EventKind] { all.filter(\.hasRow) }
}
