import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// `/admin/users` and `/admin/users/ID`.
struct UserPages: Sendable {

    let desk: AdminDesk

    func addRoutes(to router: inout FeatureRouter) {
        desk.page(at: AdminPath.users, in: &router, list)
        desk.page(at: "\(AdminPath.users)/:id", in: &router, show)
    }

    private var administration: AccountAdministration {
        AccountAdministration(database: desk.parts.database, clock: desk.parts.clock)
    }

    /// What the setting lets in.
    private var allowed: Text {
        let name = AllowedEmails.setting.name
        guard !desk.parts.eligibility.allowed.isEmpty,
            let line = desk.settings.first(where: { $0.name.utf8.elementsEqual(name.utf8) })
        else { return Text("admin.allowed-nobody") }
        return Text("admin.allowed", ["value": AdminWriter.cut(line.shown)])
    }

    @Sendable private func list(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let (text, group) = (request.queryText("search"), request.queryText("group"))
        let state = request.queryText("state")
        let wanted = AccountAdministration.State(rawValue: state)
        // Without it, everybody would be listed.
        let problems =
            state.isEmpty || wanted != nil ? nil : AdminProblems("state", Text("admin.state-wrong"))
        var search = AccountAdministration.Search(state: wanted, group: group.isEmpty ? nil : group)
        search.after = request.queryText("after").isEmpty ? nil : request.queryText("after")
        // One letter would be half of the list.
        let isSearched = text.count >= 2 && text.utf8.count <= 100
        if isSearched { search.beginning = text }
        let found = try await administration.page(search, limit: AdminPath.rows + 1)
        let shown = Array(found.prefix(AdminPath.rows))
        let (groups, more) = try await desk.parts.database.read { connection in
            (
                try AdminView.groups(connection).map(\.id),
                try shown.map { try AdminView.summary(of: $0.account, connection) }
            )
        }
        let isFiltered = !text.isEmpty || !group.isEmpty || !state.isEmpty || search.after != nil
        var blocks: [AdminPage.Block] = []
        if admin.mayChange {
            blocks.append(
                writer.actions([(Text("admin.invite"), InviteAction.path), (Text("admin.import"), ImportAction.path)]))
        }
        blocks.append(
            writer.filter(
                AdminPath.users,
                [
                    (AdminField("search", Text("admin.search-user")), text),
                    (
                        AdminField(
                            "state", Text("admin.state"),
                            options: [("", Text("admin.any"))]
                                + AccountAdministration.State.allCases.map { ($0.rawValue, $0.text) }), state
                    ),
                    (
                        AdminField(
                            "group", Text("admin.group"),
                            options: [("", Text("admin.any"))]
                                + groups.map { ($0, Text("admin.value", ["value": $0])) }), group
                    ),
                ], problems))
        guard problems == nil else { return writer.page(Text("admin.users"), blocks, problems: problems) }
        if !text.isEmpty, !isSearched { blocks.append(writer.paragraph(Text("admin.search-short"))) }
        if shown.isEmpty, !isFiltered { blocks.append(writer.paragraph(allowed)) }
        let next = found.count > AdminPath.rows ? shown.last?.account.email : nil
        blocks.append(
            writer.table(
                Text("admin.users-caption"),
                [
                    writer.column(Text("admin.address"), sorted: AdminPath.users, "ascending"),
                    writer.column(Text("admin.name")), writer.column(Text("admin.state")),
                    writer.column(Text("admin.groups")), writer.column(Text("admin.last-sign-in")),
                ],
                zip(shown, more).map { row, more in
                    [
                        writer.link(row.account.email, AdminPath.user(row.account)), writer.cell(row.account.name),
                        writer.cell(row.shownState),
                        writer.cell(more.groups.isEmpty ? nil : more.groups.joined(separator: ", ")),
                        writer.cell(more.usedAt),
                    ]
                }, empty: isFiltered ? Text("admin.users-none") : Text("admin.users-empty"),
                next: next.map {
                    AdminPath.query(
                        AdminPath.users, [("search", text), ("state", state), ("group", group), ("after", $0)])
                }))
        return writer.page(Text("admin.users"), blocks)
    }

    @Sendable private func show(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let id = context.id
        guard let account = try await desk.parts.database.read({ try AdminView.account(id, $0) }),
            let details = try await administration.details(of: account.email, file: desk.file)
        else { throw PublicError.notFound }
        let (database, now) = (desk.parts.database, desk.parts.clock.now())
        let (sessions, passkeys, role, signOuts, audit, names, withdraws) = try await database.read { connection in
            let audit = try AdminView.audit(of: account, limit: 20, desk.parts.audit.store, connection)
            return (
                try AdminView.sessions(of: account, desk.parts.appDevices, connection).sessions,
                try AdminView.passkeys(of: account, connection),
                try AdminView.role(of: account, named: desk.parts.admins, connection),
                try AdminView.signOuts(of: account, since: now - .days(1), desk.parts.signOuts, connection),
                audit, try AdminView.addresses(in: audit, connection),
                try AdminView.withdrawal(of: account, at: now, connection).changesAnything
            )
        }
        let home = AdminPath.user(account)
        var blocks = [facts(details, role, writer)]
        // No page keeps these out.
        let isKept = account.id == admin.user.account.id || desk.parts.admins.contains(account.email)
        if admin.mayChange {
            blocks.append(writer.actions(actions(details, isKept: isKept, withdraws: withdraws, home)))
        }
        blocks += methods(details, passkeys, home, removes: admin.mayChange && !isKept, writer)
        blocks += [
            table(of: sessions, home, admin, writer), entries(details, writer), receipts(signOuts, writer),
            AuditTable.block(
                audit, Text("admin.user-audit"), writer, names: names, isOfUser: true, empty: Text("admin.audit-empty")),
        ]
        return writer.page(Text("admin.value", ["value": account.email]), blocks)
    }

    private func facts(_ details: AccountDetails, _ role: AdminRole?, _ writer: AdminWriter) -> AdminPage.Block {
        let account = details.row.account
        let groups =
            details.groups.isEmpty
            ? [writer.none]
            : details.groups.map { writer.link($0, AdminPath.group($0)) }
        var rows: [(Text, [AdminPage.Cell])] = [
            (Text("admin.name"), [writer.cell(account.name)]),
            (Text("admin.state"), [writer.cell(details.row.shownState)]),
            (Text("admin.groups"), groups),
            (
                Text("admin.end-date"),
                [account.endsAt.map { writer.cell(EndDate.text($0)) } ?? writer.none]
            ),
            (Text("admin.since"), [writer.cell(account.createdAt)]),
            (Text("admin.id"), [writer.cell(account.id)]),
        ]
        if let eraseAt = account.eraseAt { rows.append((Text("admin.erased-at"), [writer.cell(eraseAt)])) }
        if let role { rows.append((Text("admin.role"), [writer.cell(role.text)])) }
        return writer.facts(rows)
    }

    private func actions(
        _ details: AccountDetails, isKept: Bool, withdraws: Bool, _ home: String
    ) -> [(Text, String)] {
        let account = details.row.account
        let (isNew, isErasing, isDisabled) = (
            details.identities.isEmpty, account.eraseAt != nil, account.isDisabledByOperator
        )
        let names: [String: any TextValue] = ["address": account.email]
        let all: [(any UserAction.Type, Text, isOffered: Bool)] = [
            (ResendAction.self, Text("admin.resend", names), isNew && account.addedAt != nil && desk.parts.hasMail),
            (LinkAction.self, Text("admin.link", names), isNew),
            (WithdrawAction.self, Text("admin.withdraw", names), isNew && withdraws),
            (RenameAction.self, Text("admin.rename", names), true),
            (GroupsAction.self, Text("admin.set-groups", names), true),
            (EndDateAction.self, Text("admin.set-end", names), true),
            (SignOutAction.self, Text("admin.sign-out", names), true),
            (DisableAction.self, Text("admin.disable", names), !isDisabled),
            (EnableAction.self, Text("admin.enable", names), isDisabled),
            (KeepAction.self, Text("admin.keep", names), isErasing),
            (EraseAction.self, Text("admin.erase", names), !isErasing),
        ]
        // Not those that would be refused.
        return all.filter { action, _, isOffered in
            isOffered && !(isKept && action.keepsOut) && !(isErasing && action.needsKept)
        }.map { action, label, _ in (label, home + action.path.dropFirst("\(AdminPath.users)/:id".count)) }
    }

    private func methods(
        _ details: AccountDetails, _ passkeys: [Passkey], _ home: String, removes: Bool, _ writer: AdminWriter
    ) -> [AdminPage.Block] {
        let rows: [[AdminPage.Cell]] = details.identities.filter { $0.kind != .passkey }.map { identity in
            let name =
                identity.kind == .email ? writer.cell(Text("admin.method-email")) : writer.cell(identity.provider)
            // Such a one is added by a sign-in, and noted as used from the next on.
            let usedAt = identity.usedAt ?? identity.addedAt
            return [name, writer.cell(identity.addedAt), writer.cell(usedAt), writer.none]
        }
        let keys: [[AdminPage.Cell]] = passkeys.map { passkey in
            let remove = AdminPath.query("\(home)/remove-passkey", [("passkey", passkey.id)])
            return [
                writer.cell(Text("admin.method-passkey", ["name": AdminWriter.cut(passkey.name)])),
                writer.cell(passkey.addedAt), writer.cell(passkey.usedAt),
                removes
                    ? writer.link(Text("admin.remove-named", ["name": AdminWriter.cut(passkey.name)]), remove)
                    : writer.none,
            ]
        }
        return [
            writer.heading(Text("admin.methods")),
            writer.table(
                Text("admin.methods-caption"),
                [
                    writer.column(Text("admin.method")), writer.column(Text("admin.added")),
                    writer.column(Text("admin.used")), writer.column(Text("admin.action")),
                ], rows + keys, empty: Text("admin.methods-empty")),
        ]
    }

    private func table(
        of sessions: [UserSession], _ home: String, _ admin: Admin, _ writer: AdminWriter
    ) -> AdminPage.Block {
        writer.table(
            Text("admin.sessions-caption"),
            [
                writer.column(Text("admin.device")), writer.column(Text("admin.network")),
                writer.column(Text("admin.since")), writer.column(Text("admin.used")),
                writer.column(Text("admin.action")),
            ],
            sessions.prefix(AdminPath.rows).map { session in
                let name = session.name(in: writer.texts)
                let end = AdminPath.query("\(home)/end-session", [("session", session.id)])
                return [
                    writer.cell(name), writer.cell(session.network), writer.cell(session.createdAt),
                    writer.cell(session.usedAt),
                    admin.mayChange
                        ? writer.link(Text("admin.end-named", ["name": AdminWriter.cut(name)]), end)
                        : writer.none,
                ]
            }, empty: Text("admin.sessions-empty"))
    }

    private func entries(_ details: AccountDetails, _ writer: AdminWriter) -> AdminPage.Block {
        writer.table(
            Text("admin.entries-caption"), [writer.column(Text("admin.service")), writer.column(Text("admin.why"))],
            details.mayEnter.map {
                [
                    writer.link($0.name, AdminPath.service($0.id)),
                    $0.reason == "everyone" ? writer.cell(Text("admin.everyone")) : writer.cell($0.reason),
                ]
            }, empty: Text("admin.entries-empty"))
    }

    private func receipts(_ messages: [QueuedSignOut], _ writer: AdminWriter) -> AdminPage.Block {
        SignOutTable.block(
            messages, writer, caption: Text("admin.receipts-caption"), empty: Text("admin.receipts-empty"))
    }
}

extension AccountAdministration.State {
    var text: Text {
        switch self {
        case .active: Text("admin.state-active")
        case .added: Text("admin.state-added")
        case .invited: Text("admin.state-invited")
        case .withdrawn: Text("admin.state-withdrawn")
        case .disabled: Text("admin.state-disabled")
        case .ended: Text("admin.state-ended")
        }
    }
}

extension AccountAdministration.Row {
    var shownState: Text { account.eraseAt == nil ? state.text : Text("admin.state-erasing") }
}

extension AdminRole {
    var text: Text {
        switch self {
        case .admin: Text("admin.role-admin")
        case .auditor: Text("admin.role-auditor")
        }
    }
}
