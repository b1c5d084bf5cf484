import Hummingbird
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// `/admin/services` and `/admin/services/ID`.
struct ServicePages: Sendable {
    /// What the page of a service calls a refusal.
    static let refusals = [
        "authorize_refused", "verify_refused", "token_request_refused", "access_refused", "ping_refused",
    ]
    let desk: AdminDesk

    func addRoutes(to router: inout FeatureRouter) {
        desk.page(at: AdminPath.services, in: &router, list)
        desk.page(at: "\(AdminPath.services)/:id", in: &router, show)
    }

    @Sendable private func list(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let (text, after) = (request.queryText("search"), request.queryText("after"))
        let since = desk.parts.clock.now() - .days(1)
        let (views, refused) = try await desk.parts.database.read { connection in
            (
                try AdminView.clients(file: desk.file, connection),
                try AdminView.refusals(Self.refusals, since: since, connection)
            )
        }
        let isSearched = text.count >= 2 && text.utf8.count <= 100
        let wanted = text.lowercased()
        let found = views.filter { view in
            !isSearched || view.client.id.lowercased().hasPrefix(wanted)
                || view.client.name.lowercased().hasPrefix(wanted)
        }.sorted { Array($0.client.id.utf8).lexicographicallyPrecedes(Array($1.client.id.utf8)) }
            .filter { after.isEmpty || Array(after.utf8).lexicographicallyPrecedes(Array($0.client.id.utf8)) }
        let shown = Array(found.prefix(AdminPath.rows))
        var blocks: [AdminPage.Block] = []
        if admin.mayChange { blocks.append(writer.actions([(Text("admin.service-add"), AddServiceAction.path)])) }
        blocks.append(writer.filter(AdminPath.services, [(AdminField("search", Text("admin.search-service")), text)]))
        if !text.isEmpty, !isSearched { blocks.append(writer.paragraph(Text("admin.search-short"))) }
        blocks.append(
            writer.table(
                Text("admin.services-caption"),
                [
                    writer.column(Text("admin.service"), sorted: AdminPath.services, "ascending"),
                    writer.column(Text("admin.name")), writer.column(Text("admin.origin")),
                    writer.column(Text("admin.key-access")), writer.column(Text("admin.secrets")),
                    writer.column(Text("admin.refusals-24")),
                ],
                shown.map { view in
                    [
                        writer.link(view.client.id, AdminPath.service(view.client.id)),
                        writer.cell(
                            view.isEnabled
                                ? Text("admin.value", ["value": AdminWriter.cut(view.client.name)])
                                : Text("admin.disabled-named", ["name": AdminWriter.cut(view.client.name)])),
                        origin(view, writer), access(view.client, writer),
                        writer.cell(view.secrets.map(\.fingerprint).joined(separator: ", ")),
                        writer.cell(String(refused[view.client.id] ?? 0)),
                    ]
                }, empty: isSearched ? Text("admin.services-none") : Text("admin.services-empty"),
                next: found.count > shown.count
                    ? shown.last.map {
                        AdminPath.query(AdminPath.services, [("search", text), ("after", $0.client.id)])
                    } : nil))
        if views.isEmpty {
            blocks.append(
                writer.code(
                    Text("admin.services-lines"),
                    "idp client add wiki --name Wiki --everyone \\\n  --redirect-uri https://wiki.example.com/auth/sso/callback\n"
                ))
        }
        return writer.page(Text("admin.services"), blocks)
    }

    private func origin(_ view: ClientView, _ writer: AdminWriter) -> AdminPage.Cell {
        view.client.origin.place.map { writer.cell($0) } ?? writer.cell(Text("admin.from-here"))
    }

    private func access(_ client: Client, _ writer: AdminWriter) -> AdminPage.Cell {
        switch client.access {
        case .everyone, .unstated: writer.cell(Text("admin.everyone"))
        case .groups(let groups): writer.cell(groups.joined(separator: ", "))
        }
    }

    @Sendable private func show(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let (id, month) = (context.id, desk.parts.clock.now() - .days(30))
        let (views, audit, addresses) = try await desk.parts.database.read { connection in
            (
                try AdminView.clients(file: desk.file, connection),
                try AdminView.refusals(Self.refusals, of: id, since: month, limit: 20, connection),
                try AdminView.refusedAddresses(of: id, connection)
            )
        }
        guard let view = views.first(where: { $0.client.id == id }) else { throw PublicError.notFound }
        let home = AdminPath.service(id)
        var blocks = [facts(view, writer)]
        if admin.mayChange {
            if view.entry != nil {
                blocks.append(writer.actions(actions(view, home)))
            } else {
                let place = view.client.origin.place ?? ""
                blocks.append(writer.paragraph(Text("admin.file-lines", ["place": place])))
                if let lines = lines(addresses, of: view.client) {
                    blocks.append(writer.code(Text("admin.change-lines", ["place": place]), lines))
                }
            }
        }
        blocks += [
            secrets(view, writer), refused(addresses, view, home, admin, writer), refusals(audit, writer),
        ]
        return writer.page(Text("admin.value", ["value": view.client.name]), blocks)
    }

    /// The lines of the file with the addresses that were sent; nil where all of them are registered.
    private func lines(_ sent: [RefusedAddresses.Row], of client: Client) -> String? {
        let missing = sent.filter { $0.isWhole && !client.hasRedirectURI($0.address) }.map(\.address)
        guard !missing.isEmpty else { return nil }
        let all = client.redirectURIs + missing
        return "    redirect_uris:\n" + all.map { "      - \(JSONText.string($0))\n" }.joined()
    }

    private func facts(_ view: ClientView, _ writer: AdminWriter) -> AdminPage.Block {
        let client = view.client
        var rows: [(Text, [AdminPage.Cell])] = [
            (Text("admin.service"), [writer.cell(client.id)]),
            (Text("admin.key-name"), [writer.cell(client.name)]),
            (Text("admin.state"), [writer.cell(view.isEnabled ? Text("admin.enabled") : Text("admin.disabled"))]),
            (Text("admin.origin"), [origin(view, writer)]),
            (Text("admin.key-access"), [access(client, writer)]),
            (Text("admin.key-redirect"), client.redirectURIs.map(address(writer))),
            (Text("admin.key-start"), [client.startURL.map(address(writer)) ?? writer.none]),
            (Text("admin.key-expose"), [writer.cell(client.exposedGroups?.joined(separator: ", "))]),
            (Text("admin.key-contact"), [writer.cell(client.contact)]),
            (Text("admin.key-hidden"), [writer.cell(client.isHidden ? Text("admin.yes") : Text("admin.no"))]),
            (Text("admin.key-require"), [writer.cell(client.require.rawValue)]),
        ]
        for settings in client.protocols {
            rows.append((Text("admin.protocol"), [writer.cell(type(of: settings).id)]))
            for (name, values) in settings.shown {
                rows.append((Text("admin.value", ["value": name]), values.map { writer.cell($0) }))
            }
        }
        return writer.facts(rows)
    }

    /// A link only for a registered https address.
    private func address(_ writer: AdminWriter) -> (String) -> AdminPage.Cell {
        { $0.hasPrefix("https://") ? writer.link($0, $0) : writer.cell($0) }
    }

    private func actions(_ view: ClientView, _ home: String) -> [(Text, String)] {
        let name: [String: any TextValue] = ["name": view.client.name]
        var links = [(Text("admin.service-change", name), "\(home)/change")]
        if !view.client.hasNoSecret {
            links.append(
                view.secrets.count > 1
                    ? (Text("admin.service-retire", name), "\(home)/retire")
                    : (Text("admin.service-rotate", name), "\(home)/rotate"))
        }
        if view.client.takesRedirectURIs { links.append((Text("admin.service-register", name), "\(home)/register")) }
        if view.isEnabled {
            links.append((Text("admin.service-disable", name), "\(home)/disable"))
        } else {
            links.append((Text("admin.service-enable", name), "\(home)/enable"))
            links.append((Text("admin.service-remove", name), "\(home)/remove"))
        }
        return links
    }

    private func secrets(_ view: ClientView, _ writer: AdminWriter) -> AdminPage.Block {
        writer.table(
            Text("admin.secrets-caption"),
            [
                writer.column(Text("admin.fingerprint")), writer.column(Text("admin.state")),
                writer.column(Text("admin.added")), writer.column(Text("admin.first-used")),
                writer.column(Text("admin.used")),
            ],
            view.secrets.map { secret in
                [
                    writer.cell(secret.fingerprint),
                    writer.cell(secret.isCurrent ? Text("admin.secret-current") : Text("admin.secret-previous")),
                    secret.addedAt.map { writer.cell($0) } ?? writer.none,
                    writer.cell(secret.use?.first), writer.cell(secret.use?.last),
                ]
            },
            empty: view.client.takesRedirectURIs ? Text("admin.secrets-empty") : Text("admin.secrets-gate"))
    }

    /// What was sent in place of a registered address, with what differs marked.
    private func refused(
        _ rows: [RefusedAddresses.Row], _ view: ClientView, _ home: String, _ admin: Admin, _ writer: AdminWriter
    ) -> AdminPage.Block {
        let offers = admin.mayChange && view.entry != nil
        let known = rows.filter { row in
            !view.client.redirectURIs.contains { $0.utf8.elementsEqual(row.address.utf8) }
        }
        return writer.table(
            Text("admin.refused-addresses"),
            [
                writer.column(Text("admin.sent-address")), writer.column(Text("admin.nearest-address")),
                writer.column(Text("admin.count")), writer.column(Text("admin.used")),
                writer.column(Text("admin.action")),
            ],
            known.map { row in
                let nearest = view.client.nearestRedirectURI(to: Array(row.address.utf8))
                let register = AdminPath.query("\(home)/register", [("address", row.address)])
                return [
                    writer.marked(row.address, from: nearest), writer.cell(nearest), writer.cell(String(row.count)),
                    writer.cell(row.lastAt),
                    offers && row.isWhole
                        ? writer.link(Text("admin.register-this", ["address": AdminWriter.cut(row.address)]), register)
                        : writer.none,
                ]
            }, empty: Text("admin.refused-addresses-empty"))
    }

    private func refusals(_ rows: [AuditEntry], _ writer: AdminWriter) -> AdminPage.Block {
        writer.table(
            Text("admin.refusals-caption"),
            [
                writer.column(Text("admin.time")), writer.column(Text("admin.event")),
                writer.column(Text("admin.cause")), writer.column(Text("admin.remedy")),
                writer.column(Text("admin.reference")),
            ],
            rows.map { row in
                [
                    writer.cell(row.at), writer.cell(row.event), writer.cell(row.cause),
                    writer.sentence(desk.trace.remedy(of: row)), AuditTable.reference(row, writer),
                ]
            }, empty: Text("admin.refusals-empty"))
    }
}
