import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// `/admin/sign-outs`: whether clients were told of the end of sessions.
struct SignOutPages: Sendable {
    static let path = "/admin/sign-outs"
    let desk: AdminDesk

    func addRoutes(to router: inout FeatureRouter) { desk.page(at: Self.path, in: &router, show) }

    @Sendable private func show(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let all = try await desk.parts.database.read { connection in
            try AdminView.signOuts(limit: 500, desk.parts.signOuts.queue, connection)
        }
        // A message keeps its place while others come: the list goes on after one.
        let after = request.queryText("after")
        let start = all.firstIndex { $0.id.utf8.elementsEqual(after.utf8) }.map { $0 + 1 } ?? 0
        let rest = all[start...]
        let shown = Array(rest.prefix(UserPages.rows))
        return writer.page(
            Text("admin.sign-outs"),
            [
                writer.paragraph(Text("admin.sign-outs-intro")),
                Self.table(
                    shown, writer, caption: Text("admin.sign-outs-caption"), empty: Text("admin.sign-outs-empty"),
                    next: rest.count > shown.count
                        ? shown.last.map { AdminQuery.path(Self.path, [("after", $0.id)]) } : nil,
                    offers: admin.mayChange),
            ])
    }

    static func table(
        _ messages: [QueuedSignOut], _ writer: AdminWriter, caption: Text, empty: Text, next: String? = nil,
        offers: Bool = false
    ) -> AdminPage.Block {
        let columns = [
            writer.column(Text("admin.service")), writer.column(Text("admin.state")),
            writer.column(Text("admin.since")),
            writer.column(Text("admin.tries")), writer.column(Text("admin.error")),
        ]
        return writer.table(
            caption, columns + (offers ? [writer.column(Text("admin.action"))] : []),
            messages.map { message in
                let home = "\(path)/\(PercentCoding.encode(message.id))"
                let name: [String: any TextValue] = ["name": message.clientID]
                let action: AdminPage.Cell =
                    switch message.state {
                    case .waiting where message.tries > 0 || message.nextTryAt > writer.now:
                        writer.link(Text("admin.retry", name), "\(home)/retry")
                    case .waiting: writer.link(Text("admin.give-up", name), "\(home)/give-up")
                    case .givenUp: writer.link(Text("admin.retry", name), "\(home)/retry")
                    case .delivered: writer.cell(Text("admin.none"))
                    }
                return [
                    writer.link(message.clientID, ServicePages.path(of: message.clientID)),
                    writer.cell(message.state.text), writer.cell(message.createdAt), writer.cell(String(message.tries)),
                    writer.cell(message.lastError),
                ] + (offers ? [action] : [])
            }, empty: empty, next: next)
    }
}

extension QueuedSignOut.State {
    fileprivate var text: Text {
        switch self {
        case .waiting: Text("admin.sign-out-waiting")
        case .delivered: Text("admin.sign-out-delivered")
        case .givenUp: Text("admin.sign-out-given-up")
        }
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
        return AdminPlan(
            Text("admin.retry", ["name": message.clientID]), [Text("admin.effect-retry")], home: SignOutPages.path,
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
        return AdminPlan(
            Text("admin.give-up", ["name": message.clientID]), [Text("admin.effect-give-up")], home: SignOutPages.path,
            account: message.accountID, client: message.clientID, state: message.state.name)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        _ = try GiveUpSignOut(asked.id).make(context, connection)
        return .done(nil)
    }
}
