import Hummingbird
package import IdPAccounts
import IdPClients
package import IdPFlow
package import IdPMail
import IdPOperations
import SSOShared
package import SSOWeb

/// The admin pages: the daily work of an operator in a browser. Every change is an ``OperatorChange`` with a command, too.
package struct AdminFeature: Feature {
    package static let settings: [any ReadableSetting] = [
        AdminAddresses.setting, AdminSettings.networks, AdminSettings.require,
    ]

    package let notices: AdminNotices
    private let desk: AdminDesk
    private let invitations: InvitationMail
    private let changes: any AccountChangeReporter

    /// - Parameters:
    ///   - sender: queues invitations.
    ///   - changes: tells users what was changed of their accounts.
    ///   - facts: what the program knows of itself.
    package init(
        _ parts: SharedParts, _ values: SettingValues, sender: any InvitationSender,
        changes: any AccountChangeReporter, facts: AdminFacts
    ) throws {
        let gate = AdminGate(
            parts: parts, networks: try values[AdminSettings.networks], strength: try values[AdminSettings.require])
        let notices = AdminNotices(parts)
        self.notices = notices
        desk = AdminDesk(
            parts: parts, gate: gate, facts: facts, tell: { _ = try? await notices.round() },
            done: { id in
                Self.kinds.lazy.compactMap { id == $0.id ? $0.done : id == $0.id + Self.other ? $0.otherDone : nil }
                    .first
            })
        invitations = InvitationMail(InvitationKeys(parts.keys), sender: sender)
        self.changes = changes
    }

    package var slots: [any SessionSlot.Type] { [AdminActivity.self] }

    package var purposes: [any FlowPurpose] { [AdminPurpose(sessions: desk.parts.sessions)] }

    package var mail: [any MailTemplate] {
        [AdminNoticeMail(database: desk.parts.database, pages: desk.parts.pages, issuer: desk.parts.origin)]
    }

    package var purges: [PurgeService.Purge] {
        [
            notices.purge,
            { [parts = desk.parts] in
                try await RefusedAddresses.purge(parts.database, clock: parts.clock, limit: $0)
            },
            { [parts = desk.parts] in
                try await RetiredSecrets.purge(parts.database, clock: parts.clock, limit: $0)
            },
        ]
    }

    /// After the id of a change in the address after it: it was the other one of two.
    static let other = "_other"

    /// What each change is called, for the notice after it.
    static let kinds: [any AdminAction.Type] = [
        DisableAction.self, EnableAction.self, SignOutAction.self, EraseAction.self, KeepAction.self,
        EndSessionAction.self, RemovePasskeyAction.self, RenameAction.self, EndDateAction.self, GroupsAction.self,
        InviteAction.self, ImportAction.self, ResendAction.self, WithdrawAction.self, LinkAction.self, GrantAction.self,
        RevokeAdminAction.self, RevokeAuditorAction.self, AddGroupAction.self, JoinAction.self, LeaveAction.self,
        RemoveGroupAction.self, AddServiceAction.self, ChangeServiceAction.self, RotateAction.self, RetireAction.self,
        DisableServiceAction.self, EnableServiceAction.self, RemoveServiceAction.self, RegisterAction.self,
        RetrySignOutAction.self, GiveUpAction.self, ExportAction.self, TestMailAction.self,
    ]

    private var actions: [any AdminAction] {
        [
            InviteAction(desk: desk, mail: invitations), ImportAction(desk: desk, mail: invitations),
            DisableAction(desk: desk), EnableAction(desk: desk), SignOutAction(desk: desk), EraseAction(desk: desk),
            KeepAction(desk: desk), EndSessionAction(desk: desk), RemovePasskeyAction(desk: desk, changes: changes),
            RenameAction(desk: desk), EndDateAction(desk: desk), GroupsAction(desk: desk),
            ResendAction(desk: desk, mail: invitations), WithdrawAction(desk: desk), LinkAction(desk: desk),
            GrantAction(desk: desk), RevokeAdminAction(desk: desk), RevokeAuditorAction(desk: desk),
            AddGroupAction(desk: desk), JoinAction(desk: desk), LeaveAction(desk: desk), RemoveGroupAction(desk: desk),
            AddServiceAction(desk: desk), ChangeServiceAction(desk: desk), RotateAction(desk: desk),
            RetireAction(desk: desk), DisableServiceAction(desk: desk), EnableServiceAction(desk: desk),
            RemoveServiceAction(desk: desk), RegisterAction(desk: desk), RetrySignOutAction(desk: desk),
            GiveUpAction(desk: desk), ExportAction(desk: desk), TestMailAction(desk: desk),
        ]
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        OverviewPages(desk: desk).addRoutes(to: &router)
        UserPages(desk: desk).addRoutes(to: &router)
        ServicePages(desk: desk).addRoutes(to: &router)
        GroupPages(desk: desk).addRoutes(to: &router)
        SignOutPages(desk: desk).addRoutes(to: &router)
        AuditPages(desk: desk).addRoutes(to: &router)
        TroublePages(desk: desk).addRoutes(to: &router)
        RolePages(desk: desk).addRoutes(to: &router)
        AdminActions(desk: desk, limit: RateLimit(60, per: .minutes(1), clock: desk.parts.clock))
            .addRoutes(to: &router, actions)
    }
}
