import IdPAccounts
import IdPClients
import IdPFlow
import IdPProtocols
import SSOWeb

/// Everything that can happen in the IdP: the list of each target.
enum IdPEvents {
    static let all: [EventKind] =
        AuditedEvents.all + AccountEvents.all + ClientEvents.all + FlowEvents.all + ProtocolEvents.all

    /// The events that the audit log has rows of.
    static var audited: [EventKind] { all.filter(\.hasRow) }
}
