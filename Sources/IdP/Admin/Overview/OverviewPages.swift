import Hummingbird
import IdPClients
import IdPFlow
import IdPMail
import IdPOperations
import IdPSignOut
import Logging
import SSOShared
import SSOWeb
import Storage

/// `/admin`: what is going on, and whether anything needs a hand. `/admin/settings`: what is in force.
struct OverviewPages: Sendable {
    let desk: AdminDesk

    func addRoutes(to router: inout FeatureRouter) {
        desk.page(at: AdminPath.home, in: &router, show)
        desk.page(at: "/admin/settings", in: &router, settings)
    }

    /// What the overview shows, as one transaction sees it.
    private struct Facts: Sendable {
        let hasClients: Bool
        let signOuts: Int64
        let givenUp: Int
        let signedIn, refused: [String: Int]
        let alarms: [AuditEntry]
        let backup, accepted, outage: Timestamp?
    }

    private func facts(_ connection: any SQLConnection) throws -> Facts {
        let (now, parts) = (desk.parts.clock.now(), desk.parts)
        let (day, week) = (now - .days(1), now - .days(7))
        let alarms = desk.events.filter { $0.level == .error && $0.hasRow }.map(\.id)
        return Facts(
            hasClients: try !AdminView.clients(file: desk.file, connection).isEmpty,
            signOuts: try parts.signOuts.queue.waiting(connection).count,
            givenUp: try AdminView.counts(["sign_out_given_up"], by: .cause, since: week, connection).values.reduce(
                0, +),
            signedIn: try AdminView.counts(["signed_in"], by: .detail, since: day, connection),
            refused: try AdminView.counts(ServicePages.refusals, by: .cause, since: day, connection),
            alarms: try AdminView.newest(alarms, since: week, limit: 20, connection),
            backup: try AdminView.newest(["backup_made"], since: now - .days(35), limit: 1, connection).first?.at,
            accepted: try AdminView.newest(["mail_sent"], since: week, limit: 1, connection).first?.at,
            outage: try parts.mail.outage(connection))
    }

    @Sendable private func show(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let mail = try await desk.parts.mail.waiting()
        let found = try await desk.parts.database.read { try facts($0) }
        var blocks: [AdminPage.Block] = []
        if !found.hasClients { blocks.append(writer.paragraph(Text("admin.first-steps"))) }
        if admin.mayChange {
            let first = [(Text("admin.service-add"), AddServiceAction.path), (Text("admin.invite"), InviteAction.path)]
            blocks.append(
                writer.actions((found.hasClients ? [] : first) + [(TestMailAction.title, TestMailAction.path)]))
        }
        blocks.append(
            writer.facts([
                (Text("admin.ready"), [writer.cell(await readiness())]),
                (Text("admin.mail-accepted"), [writer.cell(found.accepted)]),
                (Text("admin.mail-outage"), [found.outage.map { writer.cell($0) } ?? writer.none]),
                (Text("admin.mail-waiting"), [writer.cell(String(mail.count))]),
                (Text("admin.mail-oldest"), [mail.oldest.map { writer.cell($0) } ?? writer.none]),
                (Text("admin.sign-outs-waiting"), [writer.link(String(found.signOuts), AdminPath.signOuts)]),
                (Text("admin.sign-outs-given-up"), [writer.link(String(found.givenUp), AdminPath.signOuts)]),
                (Text("admin.warnings"), [writer.link(String(desk.warnings.count), AdminPath.settings)]),
                (Text("admin.last-backup"), [writer.cell(found.backup)]),
                (Text("admin.version"), [writer.cell(desk.version)]),
            ]))
        blocks.append(
            counts(found.signedIn, Text("admin.sign-ins-24"), Text("admin.method"), Text("admin.sign-ins-none"), writer)
        )
        blocks.append(
            counts(found.refused, Text("admin.refused-24"), Text("admin.cause"), Text("admin.refused-none"), writer))
        blocks.append(
            writer.table(
                Text("admin.alarms-caption"),
                [
                    writer.column(Text("admin.time")), writer.column(Text("admin.event")),
                    writer.column(Text("admin.remedy")),
                ],
                found.alarms.map {
                    [writer.cell($0.at), writer.cell($0.event), writer.sentence(desk.trace.remedy(of: $0))]
                }, empty: Text("admin.alarms-none")))
        return writer.page(Text("admin.overview"), blocks)
    }

    /// What `/readyz` says, in words.
    private func readiness() async -> Text {
        switch await HealthRoutes.readiness(desk.parts.database, desk.parts.shutdown) {
        case .stopping: Text("admin.ready-stopping")
        case .schema(let step): Text("admin.ready-schema", ["step": step])
        case .database: Text("admin.ready-database")
        case .ready: desk.parts.clock.isInDoubt ? Text("admin.ready-clock") : Text("admin.ready-yes")
        }
    }

    private func counts(
        _ counts: [String: Int], _ caption: Text, _ column: Text, _ empty: Text, _ writer: AdminWriter
    ) -> AdminPage.Block {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(20)
        return writer.table(
            caption, [writer.column(column), writer.column(Text("admin.count"))],
            sorted.map { [writer.cell($0.key), writer.cell(String($0.value))] }, empty: empty)
    }

    @Sendable private func settings(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let table = writer.table(
            Text("admin.settings-caption"),
            [
                writer.column(Text("admin.setting")), writer.column(Text("admin.in-force")),
                writer.column(Text("admin.where-from")),
            ],
            desk.settings.map {
                [
                    writer.cell($0.name), writer.cell($0.shown),
                    $0.place.map { writer.cell($0) } ?? writer.cell(Text("admin.default")),
                ]
            }, empty: Text("admin.settings-empty"))
        let warnings =
            desk.warnings.isEmpty
            ? [writer.paragraph(Text("admin.warnings-none"))]
            : [writer.list(desk.warnings.map { Text("admin.value", ["value": EnglishWords($0)]) })]
        return writer.page(
            Text("admin.settings"),
            [writer.paragraph(Text("admin.settings-intro"))] + [writer.heading(Text("admin.warnings"))] + warnings
                + [table])
    }
}
