import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// `/admin/roles`: who may look at these pages, and who may change something.
struct RolePages: Sendable {
    let desk: AdminDesk

    func addRoutes(to router: inout FeatureRouter) { desk.page(at: AdminPath.roles, in: &router, show) }

    @Sendable private func show(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let (granted, named, users) = try await desk.parts.database.read { connection in
            let granted = try AdminView.roles(connection)
            let named = try desk.parts.admins.all.map { address in
                (address: address, account: try AdminView.account(of: address, connection))
            }
            let users = Dictionary(
                granted.compactMap { role -> (String, String)? in
                    guard role.by.hasPrefix("user:") else { return nil }
                    let id = String(role.by.dropFirst(5))
                    return (try? AdminView.account(id, connection)).flatMap { $0 }.map { (role.by, $0.email) }
                }
            ) { first, _ in first }
            return (granted, named, users)
        }
        let bySetting: [[AdminPage.Cell]] = named.map { address, account in
            [
                account.map { writer.link(address, AdminPath.user($0)) } ?? writer.cell(address),
                writer.cell(Text("admin.role-admin")), writer.cell(Text("admin.by-setting")),
                writer.none, writer.none,
            ]
        }
        let byGrant: [[AdminPage.Cell]] = granted.map { role in
            let revoke = "\(AdminPath.roles)/\(PercentCoding.encode(role.account.id))/revoke-\(role.role.rawValue)"
            let isKept =
                role.account.id == admin.user.account.id
                || (role.role == .admin && desk.parts.admins.contains(role.account.email))
            return [
                writer.link(role.account.email, AdminPath.user(role.account)),
                writer.cell(role.counts ? role.role.text : Text("admin.role-waits", ["role": role.role.text])),
                writer.cell(users[role.by] ?? role.by), writer.cell(role.at),
                admin.mayChange && !isKept
                    ? writer.link(
                        Text("admin.revoke", ["address": role.account.email, "role": role.role.text]), revoke)
                    : writer.none,
            ]
        }
        var blocks = [writer.paragraph(Text("admin.roles-intro"))]
        if admin.mayChange { blocks.append(writer.actions([(Text("admin.grant-title"), GrantAction.path)])) }
        blocks.append(
            writer.table(
                Text("admin.roles-caption"),
                [
                    writer.column(Text("admin.address")), writer.column(Text("admin.role")),
                    writer.column(Text("admin.by")), writer.column(Text("admin.since")),
                    writer.column(Text("admin.action")),
                ], bySetting + byGrant, empty: Text("admin.roles-empty")))
        return writer.page(Text("admin.roles"), blocks)
    }
}

struct GrantAction: AdminAction {
    static let id = "role_grant"
    static let path = "/admin/roles/grant"
    static let title = Text("admin.grant-title")
    static let done = Text("admin.done-role")
    let desk: AdminDesk

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        [
            AdminField("address", Text("admin.address"), type: "email", isRequired: true),
            AdminField(
                "role", Text("admin.role"), hint: Text("admin.role-hint"),
                options: [("auditor", Text("admin.role-auditor")), ("admin", Text("admin.role-admin"))]),
        ]
    }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        guard let role = AdminRole(rawValue: asked.text("role")) else {
            throw AdminProblems("role", Text("admin.role-wrong"))
        }
        let address = (try? Entered.address(asked.text("address")).text) ?? ""
        guard let account = try AdminView.account(of: address, connection) else {
            throw AdminProblems("address", Text("admin.no-account"))
        }
        guard account.id != admin.user.account.id else {
            throw AdminRefusal(Text("admin.own-role"), cause: "protected", account: account.id)
        }
        guard account.eraseAt == nil else { throw AdminProblems("address", account.erasing) }
        let granted = try AdminView.roles(connection).filter { $0.account.id == account.id }.map(\.role)
        guard !granted.contains(role) else { throw AdminProblems("address", Text("admin.has-role")) }
        let counts = try AdminView.role(of: account, named: AdminAddresses(), connection) != nil || !granted.isEmpty
        let effect: Text = role == .admin ? Text("admin.effect-admin") : Text("admin.effect-auditor")
        return AdminPlan(
            Text("admin.grant", ["address": account.email, "role": role.text]),
            [effect] + desk.adminsTold + (counts ? [] : [Text("admin.effect-role-waits")]),
            home: AdminPath.roles, account: account.id, state: granted.map(\.rawValue).joined(separator: " "),
            names: role.rawValue)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        guard let role = AdminRole(rawValue: asked.text("role")),
            let address = try? Entered.address(asked.text("address"))
        else { throw PublicError.notFound }
        _ = try GrantRole(role, to: address.text).make(context, connection)
        return .done(nil)
    }
}

/// Takes one of the two roles away.
protocol RevokingAction: AdminAction {
    static var role: AdminRole { get }
    var desk: AdminDesk { get }
}

extension RevokingAction {
    static var title: Text { Text("admin.revoke-title") }
    static var done: Text { Text("admin.done-role") }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        guard let account = try AdminView.account(asked.id, connection),
            try AdminView.roles(connection).contains(where: { $0.account.id == account.id && $0.role == Self.role })
        else { throw PublicError.notFound }
        guard account.id != admin.user.account.id else {
            throw AdminRefusal(Text("admin.own-role"), cause: "protected", account: account.id)
        }
        guard Self.role != .admin || !desk.parts.admins.contains(account.email) else {
            throw AdminRefusal(
                Text("admin.protected", ["address": account.email]), cause: "protected", account: account.id)
        }
        return AdminPlan(
            Text("admin.revoke", ["address": account.email, "role": Self.role.text]),
            [Text("admin.effect-revoked")] + desk.adminsTold, home: AdminPath.roles,
            account: account.id, names: Self.role.rawValue)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        guard let account = try AdminView.account(asked.id, connection) else { throw PublicError.notFound }
        _ = try RevokeRole(Self.role, of: account.email, named: desk.parts.admins, desk.parts.eligibility)
            .make(context, connection)
        return .done(AdminPath.roles)
    }
}

struct RevokeAdminAction: RevokingAction {
    static let id = "role_revoke_admin"
    static let path = "/admin/roles/:id/revoke-admin"
    static let role = AdminRole.admin
    let desk: AdminDesk
}

struct RevokeAuditorAction: RevokingAction {
    static let id = "role_revoke_auditor"
    static let path = "/admin/roles/:id/revoke-auditor"
    static let role = AdminRole.auditor
    let desk: AdminDesk
}
