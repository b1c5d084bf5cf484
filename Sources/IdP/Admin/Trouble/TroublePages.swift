import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// `/admin/trouble`: why a sign-in failed, by what a user or a developer can name.
struct TroublePages: Sendable {
    let desk: AdminDesk

    func addRoutes(to router: inout FeatureRouter) { desk.page(at: AdminPath.trouble, in: &router, show) }

    @Sendable private func show(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let word = String(request.queryText("word").prefix(200))
        var blocks = [
            writer.paragraph(Text("admin.trouble-intro")),
            writer.filter(AdminPath.trouble, [(AdminField("word", Text("admin.trouble-word")), word)]),
        ]
        guard !word.isEmpty else { return writer.page(Text("admin.trouble"), blocks) }
        let trace = Trace(
            events: desk.events, addresses: desk.parts.audit.addresses, eligibility: desk.parts.eligibility)
        let found = try await desk.parts.database.read { connection in
            try trace.find(word, at: desk.parts.clock.now(), connection)
        }
        if let account = found.account {
            blocks.append(
                writer.actions([
                    (Text("admin.trouble-user", ["address": account.email]), AdminPath.user(account))
                ]))
        }
        for finding in found.findings {
            blocks.append(writer.paragraph(finding.text(word)))
            if admin.mayChange, let remedy = finding.remedy(word, found.account) {
                blocks.append(writer.actions([remedy]))
            }
        }
        blocks.append(
            writer.table(
                Text("admin.trouble-caption"),
                [
                    writer.column(Text("admin.time")), writer.column(Text("admin.event")),
                    writer.column(Text("admin.cause")), writer.column(Text("admin.detail")),
                    writer.column(Text("admin.remedy")), writer.column(Text("admin.service")),
                ],
                found.rows.map { row in
                    [
                        writer.cell(row.entry.at), writer.cell(row.entry.event), writer.cell(row.entry.cause),
                        writer.cell(row.entry.detail), writer.cell(row.remedy),
                        row.entry.client.map { writer.link($0, AdminPath.service($0)) }
                            ?? writer.cell(Text("admin.none")),
                    ]
                }, empty: Text("admin.trouble-none")))
        return writer.page(Text("admin.trouble-named", ["word": word]), blocks)
    }
}

extension Trace.Finding {
    fileprivate func text(_ address: String) -> Text {
        switch self {
        case .notAllowed: Text("admin.finding-not-allowed", ["address": address])
        case .disabled: Text("admin.finding-disabled", ["address": address])
        case .ended: Text("admin.finding-ended", ["address": address])
        case .maySignIn: Text("admin.finding-may", ["address": address])
        case .misspelt(let near): Text("admin.value", ["value": AdminWriter.cut(near)])
        }
    }

    /// The change that mends it, which its page asks about.
    fileprivate func remedy(_ address: String, _ account: Account?) -> (Text, String)? {
        let name: [String: any TextValue] = ["address": address]
        let home = account.map { AdminPath.user($0) }
        return switch self {
        case .notAllowed:
            (Text("admin.invite-named", name), AdminPath.query("\(AdminPath.users)/invite", [("address", address)]))
        case .disabled: home.map { (Text("admin.enable", name), "\($0)/enable") }
        case .ended: home.map { (Text("admin.set-end", name), "\($0)/end-date") }
        case .maySignIn, .misspelt: nil
        }
    }
}
