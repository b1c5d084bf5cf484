import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPMail
import IdPOperations
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

    @Sendable private func show(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let (now, events) = (desk.parts.clock.now(), desk.events)
        let alarms = events.filter { $0.level == .error && $0.hasRow }.map(\.id)
        let mail = try await desk.parts.mail.waiting()
        let found = try await desk.parts.database.read { connection in
            (
                views: try AdminView.clients(file: desk.file, connection),
                signOuts: try desk.parts.signOuts.queue.waiting(connection),
                signedIn: try AdminView.counts(["signed_in"], by: \.detail, since: now - .days(1), connection),
                refused: try AdminView.counts(
                    ServicePages.refusals + ["sign_in_refused"], by: \.cause, since: now - .days(1), connection),
                alarms: try AdminView.newest(alarms, since: now - .days(7), limit: 20, connection),
                backup: try AdminView.newest(["backup_made"], since: now - .days(90), limit: 1, connection).first?.at
            )
        }
        var blocks: [AdminPage.Block] = []
        if found.views.isEmpty {
            blocks.append(writer.paragraph(Text("admin.first-steps")))
            blocks.append(
                writer.actions([
                    (Text("admin.service-add"), AddServiceAction.path), (Text("admin.invite"), InviteAction.path),
                ]))
        }
        blocks.append(
            writer.facts([
                (Text("admin.ready"), [writer.cell(Text("admin.ready-yes"))]),
                (Text("admin.mail-waiting"), [writer.cell(String(mail.count))]),
                (Text("admin.mail-oldest"), [mail.oldest.map { writer.cell($0) } ?? writer.cell(Text("admin.none"))]),
                (
                    Text("admin.sign-outs-waiting"),
                    [writer.link(String(found.signOuts.count), AdminPath.signOuts)]
                ),
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
                    [writer.cell($0.at), writer.cell($0.event), writer.cell(desk.remedy(of: $0))]
                }, empty: Text("admin.alarms-none")))
        return writer.page(Text("admin.overview"), blocks)
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
            [writer.column(Text("admin.setting")), writer.column(Text("admin.in-force"))],
            desk.settings.map { [writer.cell($0.name), writer.cell($0.shown)] }, empty: Text("admin.settings-empty"))
        let warnings =
            desk.warnings.isEmpty
            ? [writer.paragraph(Text("admin.warnings-none"))]
            : [writer.list(desk.warnings.map { Text("admin.value", ["value": $0]) })]
        return writer.page(
            Text("admin.settings"),
            [writer.paragraph(Text("admin.settings-intro"))] + [writer.heading(Text("admin.warnings"))] + warnings
                + [table])
    }
}
