import SSOShared
import Testing

@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What an operator knows of a failure before reading the log.
enum Report: Sendable {
    /// The address of the user. `idp user show` says what the log calls it.
    case user(String)
    /// The same of a user who waits for an email, and whose lines have no failure: the program's alarms come next.
    case waiting(String)
    /// An error page with its reference.
    case page(Visit)
    /// The service that does not work, and its client id.
    case client(String)
}

/// One line of the log with `LOG_FORMAT=json`.
struct LogLine: Sendable {
    let text: String
    /// Numbers as text.
    let fields: [String: String]

    init(_ text: String) throws {
        self.text = text
        guard case .object(let members) = try JSONDecoding.value(Array(text.utf8)) else {
            throw ProbeFailure("no JSON object: \(text)")
        }
        fields = members.compactMapValues { value in value.text ?? value.number.map { String(Int($0)) } }
    }

    var event: String { self["event"] ?? "" }
    /// A field that says something.
    subscript(_ name: String) -> String? { fields[name].flatMap { $0 == "-" ? nil : $0 } }
}

/// An operator, who has the text of the log and the commands, and neither the database nor the tests.
struct OperatorsView {
    private let deployment: TestDeployment
    let lines: [LogLine]

    init(_ deployment: TestDeployment) throws {
        self.deployment = deployment
        lines = try deployment.log.json().map(LogLine.init)
    }

    /// The lines that a report leads to, in order: those that the report names, and from the last of them on the whole sign-in by
    /// its `flow`, in both programs.
    func story(of report: Report) async throws -> [LogLine] {
        switch report {
        case .user(let address): return follow(try await lines(about: address))
        case .page(let page): return follow(lines(named: try reference(on: page), in: "reference"))
        case .client(let id): return follow(lines(named: id, in: "client"))
        case .waiting(let address):
            let own = follow(try await lines(about: address))
            try #require(own.last?.event == "mail_queued", "the email of \(address) has not left")
            return lines.filter { ["error", "critical"].contains($0["level"]) && $0["account"] == nil }
        }
    }

    private func lines(named value: String, in field: String) -> [LogLine] { lines.filter { $0[field] == value } }

    private func follow(_ named: [LogLine]) -> [LogLine] {
        guard let flow = named.last?["flow"] else { return named }
        return lines(named: flow, in: "flow")
    }

    /// The lines with the account or the address, as `idp user show` prints them.
    private func lines(about address: String) async throws -> [LogLine] {
        let ids = AuditAddressKeys(deployment.keys).ids(of: try EmailAddress(address))
        guard
            let details = try await AccountAdministration(database: deployment.database, clock: deployment.clock.clock)
                .details(of: address, file: ClientRegistry([]))
        else { return lines.filter { $0["account"] == nil && ids.first == $0["address_id"] } }
        let shown = try JSONDecoding.value(JSONText.bytes(AccountOutput.members(details, [], addressIDs: ids)))
        let (account, names) = (shown["id"]?.text, shown["address_ids"]?.items.map(\.text) ?? [])
        return lines.filter { line in
            line["account"].map { $0 == account } ?? line["address_id"].map { names.contains($0) } ?? false
        }
    }

    private func reference(on page: Visit) throws -> String {
        guard let found = page.text.firstMatch(of: #/<code translate="no">([2-9A-Z]{8})</code>/#) else {
            throw ProbeFailure("no reference at \(page.address.absolute) (\(page.status)):\n\(page.text)")
        }
        return String(found.1)
    }
}
