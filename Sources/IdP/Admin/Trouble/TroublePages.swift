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
        let (found, mends): (Trace.Found, [(Text, String)?]?) = try await desk.parts.database.read { connection in
            let found = try desk.trace.find(word, at: desk.parts.clock.now(), connection)
            guard admin.mayChange else { return (found, nil) }
            return (found, try found.rows.map { try Mend.of($0.entry, desk, connection) })
        }
        if let account = found.account {
            blocks.append(
                writer.actions([
                    (Text("admin.trouble-user", ["address": account.email]), AdminPath.user(account))
                ]))
        }
        for finding in found.findings {
            blocks.append(writer.paragraph(finding.text(word, writer.texts)))
            if case .misspelt(let near) = finding {
                let path = AdminPath.query(AdminPath.trouble, [("word", near)])
                blocks.append(writer.actions([(Text("admin.trouble-named", ["word": near]), path)]))
            } else if admin.mayChange, let remedy = finding.remedy(word, found.account) {
                blocks.append(writer.actions([remedy]))
            }
        }
        blocks.append(table(word, found.rows, mends, writer))
        return writer.page(Text("admin.trouble-named", ["word": word]), blocks)
    }
}

extension TroublePages {
    /// - Parameter mends: the change that mends each row; nil for an auditor.
    private func table(
        _ word: String, _ rows: [Trace.Row], _ mends: [(Text, String)?]?, _ writer: AdminWriter
    ) -> AdminPage.Block {
        var names = [
            Text("admin.time"), Text("admin.event"), Text("admin.cause"), Text("admin.detail"), Text("admin.remedy"),
            Text("admin.service"),
        ]
        if mends != nil { names.append(Text("admin.mend")) }
        let cells: [[AdminPage.Cell]] = rows.enumerated().map { index, row in
            let entry = row.entry
            var cells = [
                writer.cell(entry.at), writer.id(entry.event), writer.id(entry.cause), writer.cell(entry.detail),
                row.hasRemedy ? writer.sentence(row.remedy) : writer.none,
                entry.client.map { writer.link($0, AdminPath.service($0)) } ?? writer.none,
            ]
            if let mends {
                cells.append(
                    mends[index].map { writer.link($0.0, $0.1) } ?? writer.none)
            }
            return cells
        }
        return writer.table(
            Text("admin.trouble-caption"), names.map { writer.column($0) }, cells,
            empty: Text("admin.trouble-none", ["reference": AdminWriter.cut(word)]))
    }
}

extension Trace.Finding {
    fileprivate func text(_ address: String, _ texts: Texts) -> Text {
        func time(_ moment: Timestamp) -> String { texts.moment(moment).text }
        return switch self {
        case .notAllowed: Text("admin.finding-not-allowed", ["address": address])
        case .disabled: Text("admin.finding-disabled", ["address": address])
        case .ended: Text("admin.finding-ended", ["address": address])
        case .maySignIn: Text("admin.finding-may", ["address": address])
        case .misspelt(let near): Text("admin.finding-misspelt", ["address": address, "near": near])
        case .serviceDisabled: Text("admin.finding-service", ["name": address])
        case .mailSent(let at): Text("admin.finding-sent", ["address": address, "time": time(at)])
        case .mailWaits(let since): Text("admin.finding-waits", ["address": address, "time": time(since)])
        case .mailRefused(let answer, let at):
            Text("admin.finding-refused", ["address": address, "time": time(at), "answer": answer])
        case .mailExpired(_, let at): Text("admin.finding-expired", ["address": address, "time": time(at)])
        case .mailLimited(let until?):
            Text("admin.finding-limited", ["address": address, "time": time(until)])
        case .mailLimited(nil): Text("admin.finding-limit-over", ["address": address])
        case .networkLimited(let network, let at):
            Text("admin.finding-network", ["network": network, "time": time(at)])
        case .typedAs(let typed, let at):
            Text(
                "admin.finding-typed",
                ["address": address, "time": time(at), "typed": AdminWriter.cut(typed)])
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
        case .serviceDisabled:
            (Text("admin.service-enable", ["name": address]), "\(AdminPath.service(address))/enable")
        case .mailWaits, .mailExpired, .mailRefused: (TestMailAction.title, TestMailAction.path)
        case .maySignIn, .misspelt, .mailSent, .mailLimited, .networkLimited, .typedAs: nil
        }
    }
}
