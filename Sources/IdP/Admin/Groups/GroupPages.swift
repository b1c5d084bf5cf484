import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// `/admin/groups` and `/admin/groups/NAME`.
struct GroupPages: Sendable {
    let desk: AdminDesk

    func addRoutes(to router: inout FeatureRouter) {
        desk.page(at: AdminPath.groups, in: &router, list)
        desk.page(at: "\(AdminPath.groups)/:id", in: &router, show)
    }

    @Sendable private func list(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let after = request.queryText("after")
        let all = try await desk.parts.database.read { try AdminView.groups($0) }
        let found = all.filter { after.isEmpty || Array(after.utf8).lexicographicallyPrecedes(Array($0.id.utf8)) }
        let shown = Array(found.prefix(AdminPath.rows))
        var blocks: [AdminPage.Block] = []
        if admin.mayChange { blocks.append(writer.actions([(Text("admin.group-add"), AddGroupAction.path)])) }
        blocks.append(
            writer.table(
                Text("admin.groups-caption"),
                [
                    writer.column(Text("admin.group"), sorted: AdminPath.groups, "ascending"),
                    writer.column(Text("admin.members")), writer.column(Text("admin.since")),
                ],
                shown.map {
                    [
                        writer.link($0.id, AdminPath.group($0.id)), writer.cell(String($0.memberCount)),
                        writer.cell($0.createdAt),
                    ]
                }, empty: Text("admin.groups-empty"),
                next: found.count > shown.count
                    ? shown.last.map { AdminPath.query(AdminPath.groups, [("after", $0.id)]) } : nil))
        return writer.page(Text("admin.groups"), blocks)
    }

    @Sendable private func show(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let (id, after) = (context.id, request.queryText("after"))
        let (group, members, clients) = try await desk.parts.database.read { connection in
            (
                try AdminView.group(id, connection),
                try AdminView.members(of: id, after: after, limit: AdminPath.rows + 1, connection),
                try AdminView.clients(file: desk.file, connection)
                    .filter { $0.client.access.names(id) }
            )
        }
        guard let group else { throw PublicError.notFound }
        let shown = Array(members.prefix(AdminPath.rows))
        let home = AdminPath.group(group.id)
        var blocks: [AdminPage.Block] = []
        if admin.mayChange {
            blocks.append(
                writer.actions([
                    (Text("admin.group-join", ["name": group.id]), "\(home)/join"),
                    (Text("admin.group-leave", ["name": group.id]), "\(home)/leave"),
                    (Text("admin.group-remove", ["name": group.id]), "\(home)/remove"),
                ]))
        }
        blocks.append(
            writer.table(
                Text("admin.members-caption"), [writer.column(Text("admin.address"), sorted: home, "ascending")],
                shown.map { [writer.link($0, AdminPath.query(AdminPath.users, [("search", $0)]))] },
                empty: Text("admin.members-empty"),
                next: members.count > shown.count
                    ? shown.last.map { AdminPath.query(home, [("after", $0)]) } : nil))
        blocks.append(
            writer.table(
                Text("admin.group-services"), [writer.column(Text("admin.service"))],
                clients.map { [writer.link($0.client.name, AdminPath.service($0.client.id))] },
                empty: Text("admin.group-services-empty")))
        return writer.page(Text("admin.value", ["value": group.id]), blocks)
    }
}

struct AddGroupAction: AdminAction {
    static let id = "group_add"
    static let path = "/admin/groups/add"
    static let title = Text("admin.group-add")
    static let done = Text("admin.done-group")
    let desk: AdminDesk

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        [AdminField("name", Text("admin.group"), hint: Text("admin.group-hint"), isRequired: true)]
    }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        let name = asked.text("name")
        guard ClientID.isWellFormed(name) else { throw AdminProblems("name", Text("admin.group-wrong")) }
        guard try AdminView.group(name, connection) == nil else {
            throw AdminProblems("name", Text("admin.group-there"))
        }
        return AdminPlan(
            Text("admin.group-add-named", ["name": name]), [Text("admin.effect-group")], home: AdminPath.groups,
            names: name)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        _ = try MakeGroup(asked.text("name")).make(context, connection)
        return .done(AdminPath.group(asked.text("name")))
    }
}

/// Joins or leaves: the addresses of a text area, one a line.
struct JoinAction: AdminAction {
    static let id = "group_join"
    static let path = "/admin/groups/:id/join"
    static let title = Text("admin.group-join-title")
    static let done = Text("admin.done-groups")
    let desk: AdminDesk

    func title(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Text {
        Text("admin.group-join", ["name": AdminWriter.cut(asked.id)])
    }

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        [MemberFields.addresses]
    }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        guard let group = try AdminView.group(asked.id, connection) else { throw PublicError.notFound }
        let accounts = try MemberFields.accounts(asked, connection)
        let members = Set(try AdminView.members(of: group.id, connection))
        let joining = accounts.filter { !members.contains($0.email) }
        guard !joining.isEmpty else { throw AdminProblems("addresses", Text("admin.no-change")) }
        let effects = joining.map { Text("admin.effect-member", ["address": $0.email]) }
        return AdminPlan(
            Text("admin.group-join", ["name": group.id]), effects, home: AdminPath.group(group.id),
            account: accounts.count == 1 ? accounts.first?.id : nil, names: group.id)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        let accounts = try MemberFields.accounts(asked, connection)
        _ = try JoinGroup(asked.id, accounts.map(\.email)).make(context, connection)
        return .done(nil)
    }
}

struct LeaveAction: AdminAction {
    static let id = "group_leave"
    static let path = "/admin/groups/:id/leave"
    static let title = Text("admin.group-leave-title")
    static let done = Text("admin.done-groups")
    let desk: AdminDesk

    func title(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Text {
        Text("admin.group-leave", ["name": AdminWriter.cut(asked.id)])
    }

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        [MemberFields.addresses]
    }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        guard let group = try AdminView.group(asked.id, connection) else { throw PublicError.notFound }
        let accounts = try MemberFields.accounts(asked, connection)
        let members = Set(try AdminView.members(of: group.id, connection))
        let leaving = accounts.filter { members.contains($0.email) }
        guard !leaving.isEmpty else { throw AdminProblems("addresses", Text("admin.no-change")) }
        var effects = leaving.map { Text("admin.effect-no-member", ["address": $0.email]) }
        let clients = try AdminView.clients(file: desk.file, connection).filter { $0.isEnabled }
        for client in clients where client.client.access.names(group.id) {
            let lost = try leaving.filter { account in
                let rest = try AdminView.groups(of: account, connection).filter { $0 != group.id }
                return !client.client.access.admits(rest)
            }.count
            if lost > 0 { effects.append(Text("admin.effect-lost", count: lost, ["name": client.client.name])) }
        }
        return AdminPlan(
            Text("admin.group-leave", ["name": group.id]), effects, home: AdminPath.group(group.id),
            account: accounts.count == 1 ? accounts.first?.id : nil, names: group.id)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        let accounts = try MemberFields.accounts(asked, connection)
        _ = try LeaveGroup(asked.id, accounts.map(\.email), file: desk.file).make(context, connection)
        return .done(nil)
    }
}

enum MemberFields {
    static let addresses = AdminField(
        "addresses", Text("admin.addresses"), hint: Text("admin.addresses-hint"), isArea: true, isRequired: true)

    /// At most as many as a page can name.
    static func accounts(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [Account] {
        let lines = asked.lines("addresses")
        guard !lines.isEmpty, lines.count <= 100 else {
            throw AdminProblems("addresses", Text("admin.addresses-wrong"))
        }
        var (accounts, problems): ([Account], [(field: String, text: Text)]) = ([], [])
        for line in lines {
            let address = (try? Entered.address(line).text) ?? ""
            if let account = try AdminView.account(of: address, connection) {
                if !accounts.contains(where: { $0.id == account.id }) { accounts.append(account) }
            } else {
                problems.append(("addresses", Text("admin.no-account-named", ["address": AdminWriter.cut(line)])))
            }
        }
        guard problems.isEmpty else { throw AdminProblems(problems) }
        return accounts
    }
}

struct RemoveGroupAction: AdminAction {
    static let id = "group_remove"
    static let path = "/admin/groups/:id/remove"
    static let title = Text("admin.group-remove-title")
    static let done = Text("admin.done-group-removed")
    let desk: AdminDesk

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        guard let group = try AdminView.group(asked.id, connection) else { throw PublicError.notFound }
        let naming = try AdminView.clients(file: desk.file, connection).filter {
            $0.client.access.names(group.id) || ($0.client.exposedGroups ?? []).contains(group.id)
        }
        guard naming.isEmpty else {
            throw AdminRefusal(
                Text("admin.group-named", ["names": naming.map(\.client.name).joined(separator: ", ")]))
        }
        return AdminPlan(
            Text("admin.group-remove", ["name": group.id]), [Text("admin.effect-members", count: group.memberCount)],
            home: AdminPath.group(group.id), typed: group.id, names: group.id)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        _ = try RemoveGroup(asked.id, file: desk.file, isForced: true).make(context, connection)
        return .done(AdminPath.groups)
    }
}
