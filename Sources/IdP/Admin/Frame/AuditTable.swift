import IdPClients
import SSOShared
import SSOWeb

/// Rows of the audit log as a table.
enum AuditTable {
    /// - Parameters:
    ///   - names: the addresses of accounts, by id.
    ///   - isOfUser: whether all rows are about one user, whom the page names.
    static func block(
        _ rows: [AuditEntry], _ caption: Text, _ writer: AdminWriter, names: [String: String], isOfUser: Bool = false,
        empty: Text, next: String? = nil
    ) -> AdminPage.Block {
        let columns = [
            Text("admin.time"), Text("admin.event"), Text("admin.actor"), isOfUser ? nil : Text("admin.user"),
            Text("admin.service"), Text("admin.cause"), Text("admin.detail"), Text("admin.reference"),
        ]
        return writer.table(
            caption, columns.compactMap(\.self).map { writer.column($0) },
            rows.map { row in
                [writer.cell(row.at), event(row, writer), writer.cell(actor(row, names))]
                    + (isOfUser ? [] : [user(row, names, writer)])
                    + [
                        row.client.map { writer.link($0, AdminPath.service($0)) } ?? writer.none,
                        writer.id(row.cause), writer.cell(row.detail), reference(row, writer),
                    ]
            }, empty: empty, next: next)
    }

    /// An address says more than an id.
    private static func actor(_ row: AuditEntry, _ names: [String: String]) -> String {
        row.actingAccount.flatMap { names[$0] } ?? row.actor
    }

    private static func event(_ row: AuditEntry, _ writer: AdminWriter) -> AdminPage.Cell {
        row.count.map { writer.cell(Text("admin.more-events", count: $0, ["event": row.event])) }
            ?? writer.id(row.event)
    }

    private static func user(
        _ row: AuditEntry, _ names: [String: String], _ writer: AdminWriter
    ) -> AdminPage.Cell {
        row.account.map { writer.link(names[$0] ?? $0, AdminPath.user($0)) } ?? writer.cell(row.address)
    }

    static func reference(_ row: AuditEntry, _ writer: AdminWriter) -> AdminPage.Cell {
        row.reference.map { writer.link($0, AdminPath.trouble($0)) }
            ?? writer.none
    }
}
