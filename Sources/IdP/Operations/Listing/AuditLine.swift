package import IdPClients
import SSOShared
import SSOWeb

/// A row of the audit log with the address that its account has now: what commands and exports write.
package struct AuditLine: Sendable {
    package let entry: AuditEntry
    /// Nil without an account, and for one that was erased.
    package let user: String?

    package init(entry: AuditEntry, user: String?) { (self.entry, self.user) = (entry, user) }

    package static let names = [
        "time", "event", "actor", "account", "user", "client", "session", "flow", "reference", "network", "cause",
        "detail", "address", "count", "address_id",
    ]

    /// In the order of ``names``.
    package var values: [String?] {
        [
            PlainDate.rfc3339(entry.at), entry.event, entry.actor, entry.account, user, entry.client, entry.session,
            entry.flow, entry.reference, entry.network, entry.cause, entry.detail, entry.address,
            entry.count.map(String.init), entry.addressID,
        ]
    }

    package var csv: String { Self.csv(values.map { $0 ?? "" }) }

    /// A line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula begins with an apostrophe.
    package static func csv(_ cells: [String]) -> String {
        cells.map { cell in
            let isFormula = cell.utf8.first.map { [UInt8]("=+-@\t\r".utf8).contains($0) } ?? false
            let text = isFormula ? "'" + cell : cell
            let isPlain = !text.utf8.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
            return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
        }.joined(separator: ",") + "\r\n"
    }
}
