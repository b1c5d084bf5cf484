import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import TestKit
@testable import WebTestKit

extension TestDeployment {
    /// Whether a change of an operator changes anything.
    @discardableResult
    func isChanged(
        by change: some OperatorChange, of actor: AuditActor = .command(user: "root", sudo: "ann")
    ) async throws -> Bool {
        try await OperatorChanges(database, by: actor, clock: clock.clock).make(change).isChanged
    }

    /// What is said when a change is refused; nil for one that was made.
    func refusal(of change: some OperatorChange) async throws -> String? {
        do {
            try await isChanged(by: change)
            return nil
        } catch let refusal as ChangeError {
            return refusal.description
        } catch let refusal as ClientEntryError {
            return refusal.problems.joined(separator: "\n")
        }
    }

    /// How the commands make invitations.
    var invitationMail: InvitationMail { InvitationMail(keys, on: database) }

    /// Invites a user who has no account yet.
    @discardableResult
    func invite(
        _ address: String, groups: [String] = [], client: String? = nil, end: Timestamp? = nil,
        language: Language = .english
    ) async throws -> Changed<InvitedUser> {
        try await change(
            InviteUser(
                EmailAddress(address), groups: groups, client: client, end: end, language: language,
                mail: invitationMail))
    }

    /// Waits for the email of an invitation, and finds its link.
    func invitationLink(to address: String, besides earlier: Set<String> = []) async throws -> String {
        let email = try await eventually("an invitation to \(address)") {
            self.mailbox.all(to: address).first { !earlier.contains($0.name) && $0.text.contains("/invitation/") }
        }
        let text = email.text.decodingQuotedPrintable()
        guard let start = text.range(of: "\(origin)/invitation/")?.lowerBound else {
            throw ProbeFailure("no link in:\n\(text)")
        }
        return String(text[start...].prefix { !$0.isWhitespace && $0 != "\"" })
    }

    /// Every value of a table as text.
    func text(of table: String) async throws -> String {
        try await stored.texts(of: table).joined(separator: "\n")
    }

    /// What operators see of an address.
    func listed(_ address: String) async throws -> AccountAdministration.Row? {
        try await AccountAdministration(database: database, clock: clock.clock).row(of: address)
    }
}

extension Browser {
    /// Opens the link of an invitation, and presses the button of its page.
    ///
    /// - Returns: the page with the field for the code.
    func accept(_ link: String) async throws -> Visit {
        let page = try await follow(get(link))
        return try await follow(submit(page.page().form(with: "email"), on: page))
    }
}

extension Browser {
    /// Saves a name on the home page.
    func rename(at deployment: TestDeployment, to name: String) async throws -> Visit {
        let home = try await get(deployment.origin + "/")
        return try await submit(home.page().form(to: "/name"), on: home, ["name": name])
    }
}
