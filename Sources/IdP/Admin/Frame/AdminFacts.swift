import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
package import SSOWeb

/// What the program knows of itself, for the pages.
package struct AdminFacts: Sendable {
    let events: [EventKind]
    let version: String
    let values: SettingValues

    package init(events: [EventKind], version: String, _ values: SettingValues) {
        (self.events, self.version, self.values) = (events, version, values)
    }
}

extension AdminDesk {
    var events: [EventKind] { facts.events }
    var version: String { facts.version }
    var settings: [SettingsReader.Line] { facts.values.lines }
    var warnings: [String] { facts.values.warnings }
    var printedLink: String { SignInPath.printedLink }

    /// What a row means, and what to do.
    func remedy(of row: AuditEntry) -> String {
        Trace(events: events, addresses: nil, eligibility: parts.eligibility).remedy(of: row)
    }
}
