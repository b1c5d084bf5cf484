import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// `/admin/audit`: the audit log, the newest row first.
struct AuditPages: Sendable {
    let desk: AdminDesk

    func addRoutes(to router: inout FeatureRouter) { desk.page(at: AdminPath.audit, in: &router, show) }

    static let names = ["since", "until", "user", "service", "event", "reference"]

    @Sendable private func show(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ writer: AdminWriter
    ) async throws -> AdminPage {
        let values = Self.names.map { ($0, request.queryText($0)) }
        let asked = Base64URL.decode(request.queryText("before"))
        // Without the field the list begins with the newest row: no row is before an id of no bytes.
        let before = asked?.isEmpty == true ? nil : asked
        let filter = AuditFilter(Dictionary(values) { $1 })
        let fields = zip(AuditFilter.fields(desk), values).map { ($0, $1.1) }
        if let problems = filter.problems {
            return writer.page(
                Text("admin.audit"), [writer.filter(AdminPath.audit, fields, problems)], problems: problems)
        }
        let (found, names) = try await desk.parts.database.read { connection in
            let found = try AdminView.audit(
                filter.search(desk, connection), before: before, limit: AdminPath.rows + 1, connection)
            return (found, try AdminView.addresses(in: found, connection))
        }
        let shown = Array(found.prefix(AdminPath.rows))
        let isFiltered = values.contains { !$0.1.isEmpty }
        let blocks = [
            writer.actions([(ExportAction.title, AdminPath.query(ExportAction.path, values))]),
            writer.filter(AdminPath.audit, fields),
            AuditTable.block(
                shown, Text("admin.audit-caption"), writer, names: names,
                empty: isFiltered ? Text("admin.audit-none") : Text("admin.audit-empty"),
                next: found.count > shown.count
                    ? shown.last.map {
                        AdminPath.query(AdminPath.audit, values + [("before", Base64URL.encode($0.id))])
                    } : nil),
        ]
        return writer.page(Text("admin.audit"), blocks)
    }
}

/// Which rows are asked for, as fields.
struct AuditFilter: Sendable {
    let values: [String: String]

    init(_ values: [String: String]) { self.values = values.mapValues { String($0.prefix(200)) } }

    static func fields(_ desk: AdminDesk) -> [AdminField] {
        [
            AdminField("since", Text("admin.filter-since"), type: "date"),
            AdminField("until", Text("admin.filter-until"), type: "date"),
            AdminField("user", Text("admin.filter-user")), AdminField("service", Text("admin.service")),
            AdminField(
                "event", Text("admin.event"),
                options: [("", Text("admin.any"))]
                    + desk.events.filter(\.hasRow).map(\.id).sorted().map { ($0, Text("admin.value", ["value": $0])) }),
            AdminField("reference", Text("admin.reference")),
        ]
    }

    private func value(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// What cannot be read. Left out, it would widen the filter; nil where every value can.
    var problems: AdminProblems? {
        let days = ["since", "until"].filter { name in value(name).map { EndDate.read($0) == nil } ?? false }
        return days.isEmpty ? nil : AdminProblems(days.map { ($0, Text("admin.day-wrong")) })
    }

    func search(_ desk: AdminDesk, _ connection: any SQLConnection) throws -> AuditSearch {
        var search = AuditSearch()
        search.since = value("since").flatMap(EndDate.read).map { $0 - .days(1) }
        search.until = value("until").flatMap(EndDate.read)
        (search.client, search.event) = (value("service"), value("event"))
        search.reference = value("reference")?.uppercased()
        if let user = value("user") {
            let address = try? Entered.address(user)
            let account = try address.flatMap { try AdminView.account(of: $0.text, connection)?.id }
            search.user = AuditSearch.User(
                account: account ?? user, addresses: address.map(desk.parts.audit.addresses.macs) ?? [])
        }
        return search
    }
}

/// Writes the rows of a filter into a file of the admin's browser. It changes nothing, and all admins are told.
struct ExportAction: AdminAction {
    static let id = "audit_export"
    static let takesLinks = true
    static let path = "/admin/audit/export"
    static let title = Text("admin.export")
    static let done = Text("admin.done-export")
    static let isForAuditors = true
    static let maximumRows = 10_000
    /// Rows that are read at once.
    private static let page = 1_000
    let desk: AdminDesk

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        AuditFilter.fields(desk)
    }

    private func filter(_ asked: AdminAsked) -> AuditFilter {
        AuditFilter(Dictionary(AuditPages.names.map { ($0, asked.text($0)) }) { $1 })
    }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        let filter = filter(asked)
        if let problems = filter.problems { throw problems }
        let named = AuditPages.names.compactMap { name in
            filter.values[name].flatMap { $0.isEmpty ? nil : Text("admin.effect-filter", ["name": name, "value": $0]) }
        }
        return AdminPlan(
            Self.title, [Text("admin.effect-export")] + named + desk.adminsTold,
            home: AdminPath.audit, names: "audit.csv")
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        try context.record(Event(.auditExported, detail: "into a browser"), connection)
        let filter = filter(asked)
        // The rows are read after the change, a page at a time: no login waits for them.
        return .file(name: "audit.csv", type: "text/csv; charset=utf-8") { try await csv(filter) }
    }

    private func csv(_ filter: AuditFilter) async throws -> String {
        var (lines, last) = ([AuditLine.csv(AuditLine.names)], nil as [UInt8]?)
        while lines.count <= Self.maximumRows {
            let before = last
            let (rows, names) = try await desk.parts.database.read { connection in
                let rows = try AdminView.audit(
                    filter.search(desk, connection), before: before, limit: Self.page, connection)
                return (rows, try AdminView.addresses(in: rows, connection))
            }
            lines += rows.map { row in AuditLine(entry: row, user: row.account.flatMap { names[$0] }).csv }
            guard rows.count == Self.page else { break }
            last = rows.last?.id
        }
        return lines.joined()
    }
}
