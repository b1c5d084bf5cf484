import IdPClients
import IdPFlow
package import IdPMail
import IdPOperations
import SSOShared
package import SSOWeb
import Storage

/// What the program knows of itself, for the pages.
package struct AdminFacts: Sendable {
    let events: [EventKind]
    let version: String
    let values: SettingValues
    /// Nil where no email is sent.
    let testMail: MailServerCheck?

    package init(events: [EventKind], version: String, testMail: MailServerCheck?, _ values: SettingValues) {
        (self.events, self.version, self.values, self.testMail) = (events, version, values, testMail)
    }
}

extension AdminDesk {
    var events: [EventKind] { facts.events }
    var version: String { facts.version }
    var settings: [SettingsReader.Line] { facts.values.lines }
    /// What a change says about emails; nothing where none is sent.
    var adminsTold: [Text] { parts.hasMail ? [Text("admin.effect-admins-told")] : [] }
    var userTold: [Text] { parts.hasMail ? [Text("admin.effect-user-told")] : [] }

    /// What commands warn of about a client, but for what was so before.
    func warnings(about client: Client, before: Client?, _ connection: any SQLConnection) throws -> [Text] {
        func all(_ client: Client) throws -> [String] {
            let hasNoProxies = (try? facts.values[FlowSettings.trustedProxies])?.hasNoTrustedProxies ?? false
            let isUnanswered = hasNoProxies && client.protocols.contains { type(of: $0).needsTrustedProxies }
            return try AdminView.warnings(about: client, connection)
                + (isUnanswered ? [FlowSettings.gateWithoutProxies(client.id)] : [])
        }
        let known = try before.map(all) ?? []
        return try all(client).filter { !known.contains($0) }.map { Text("admin.effect-warning", ["warning": $0]) }
    }

    /// Where a proxy of this machine finds the program.
    var program: String { (try? facts.values[FlowSettings.listen])?.onThisMachine ?? "127.0.0.1:8080" }
    var warnings: [String] { facts.values.warnings }

    /// Why a sign-in failed.
    var trace: Trace {
        Trace(
            events: events, addresses: parts.audit.addresses, eligibility: parts.eligibility,
            nextEmail: { try MailQueue.nextForUnknownBrowser($0, at: $1, $2) })
    }
}
