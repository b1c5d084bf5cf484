import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// `/admin/sign-outs`: whether clients were told of the end of sessions.
struct SignOutPages: Sendable {
    let desk: AdminDesk

    func addRoutes(to router: inout FeatureRouter) { desk.page(at: AdminPath.signOuts, in: &router, show) }

    @Sendable private func show(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let (all, names) = try await desk.parts.database.read { connection in
            let all = try AdminView.signOuts(limit: 500, desk.parts.signOuts.queue, connection)
            return (all, try AdminView.addresses(of: all.map(\.accountID), connection))
        }
        // A message keeps its place while others come: the list goes on after one.
        let after = request.queryText("after")
        let start = all.firstIndex { $0.id.utf8.elementsEqual(after.utf8) }.map { $0 + 1 } ?? 0
        let rest = all[start...]
        let shown = Array(rest.prefix(AdminPath.rows))
        return writer.page(
            Text("admin.sign-outs"),
            [
                writer.paragraph(Text("admin.sign-outs-intro")),
                SignOutTable.block(
                    shown, writer, names: names, caption: Text("admin.sign-outs-caption"),
                    empty: Text("admin.sign-outs-empty"),
                    next: rest.count > shown.count
                        ? shown.last.map { AdminPath.query(AdminPath.signOuts, [("after", $0.id)]) } : nil,
                    offers: admin.mayChange),
            ])
    }
}

struct RetrySignOutAction: AdminAction {
    static let id = "sign_out_retry"
    static let path = "/admin/sign-outs/:id/retry"
    static let title = Text("admin.retry-title")
    static let done = Text("admin.done-retry")
    let desk: AdminDesk

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        guard let message = try AdminView.signOut(asked.id, desk.parts.signOuts.queue, connection) else {
            throw PublicError.notFound
        }
        if case .delivered = message.state {
            throw AdminRefusal(Text("admin.is-delivered"), client: message.clientID)
        }
        let about = try message.about(connection)
        return AdminPlan(
            Text("admin.retry", about), [Text("admin.effect-retry", about)], home: AdminPath.signOuts,
            account: message.accountID, client: message.clientID, state: message.state.name)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        _ = try RetrySignOuts(.one(asked.id)).make(context, connection)
        return .done(nil)
    }
}

struct GiveUpAction: AdminAction {
    static let id = "sign_out_give_up"
    static let path = "/admin/sign-outs/:id/give-up"
    static let title = Text("admin.give-up-title")
    static let done = Text("admin.done-given-up")
    let desk: AdminDesk

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        guard let message = try AdminView.signOut(asked.id, desk.parts.signOuts.queue, connection) else {
            throw PublicError.notFound
        }
        guard case .waiting = message.state else {
            throw AdminRefusal(Text("admin.is-settled"), client: message.clientID)
        }
        let about = try message.about(connection)
        return AdminPlan(
            Text("admin.give-up", about), [Text("admin.effect-give-up", about)], home: AdminPath.signOuts,
            account: message.accountID, client: message.clientID, state: message.state.name)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        _ = try GiveUpSignOut(asked.id).make(context, connection)
        return .done(nil)
    }
}

extension QueuedSignOut {
    /// The service, and the user whose sessions have ended.
    fileprivate func about(_ connection: any SQLConnection) throws -> [String: any TextValue] {
        ["name": clientID, "address": try AdminView.account(accountID, connection)?.email ?? accountID]
    }
}
