import IdPClients
import SSOShared
import SSOWeb

/// Rows of the audit log as a table.
enum AuditTable {
    static func block(
        _ rows: [AuditEntry], _ caption: Text, _ writer: AdminWriter, empty: Text, next: String? = nil
    ) -> AdminPage.Block {
        writer.table(
            caption,
            [
                writer.column(Text("admin.time")), writer.column(Text("admin.event")),
                writer.column(Text("admin.actor")), writer.column(Text("admin.user")),
                writer.column(Text("admin.service")), writer.column(Text("admin.cause")),
                writer.column(Text("admin.detail")), writer.column(Text("admin.reference")),
            ],
            rows.map { row in
                [
                    writer.cell(row.at), event(row, writer), writer.cell(row.actor), user(row, writer),
                    row.client.map { writer.link($0, AdminPath.service($0)) } ?? writer.cell(Text("admin.none")),
                    writer.cell(row.cause), writer.cell(row.detail), reference(row, writer),
                ]
            }, empty: empty, next: next)
    }

    private static func event(_ row: AuditEntry, _ writer: AdminWriter) -> AdminPage.Cell {
        row.count.map { writer.cell(Text("admin.more-events", count: $0, ["event": row.event])) }
            ?? writer.cell(row.event)
    }

    private static func user(_ row: AuditEntry, _ writer: AdminWriter) -> AdminPage.Cell {
        row.account.map { writer.link($0, AdminPath.user($0)) } ?? writer.cell(row.address)
    }

    static func reference(_ row: AuditEntry, _ writer: AdminWriter) -> AdminPage.Cell {
        row.reference.map { writer.link($0, AdminPath.trouble($0)) }
            ?? writer.cell(Text("admin.none"))
    }
}
