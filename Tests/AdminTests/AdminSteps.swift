import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPMail
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

extension TestDeployment {
    static let admin = "admin@example.com"

    /// A deployment with an admin by the setting.
    static func openAdmin(
        settings: [String: String] = [:], mailer: (String) -> any Mailer = { OutboxMailer(folder: $0) },
        _ body: (TestDeployment) async throws -> Void
    ) async throws {
        try await open(
            settings: ["IDP_ADMINS": "admin@example.com, second@example.org"].merging(settings) { $1 }, mailer: mailer,
            body)
    }

    /// A browser of an admin whose sign-in is new.
    func adminBrowser(as address: String = TestDeployment.admin) async throws -> Browser {
        let asking = try await asking(address)
        _ = try await asking.guess(asking.code)
        return asking.browser
    }

    func account(_ address: String) async throws -> Account {
        let found = try await database.read { try AccountStore.find(email: address, $0) }
        guard let found else { throw ProbeFailure("no account \(address)") }
        return found
    }

    /// The path of the page of a user.
    func userPath(_ address: String) async throws -> String { "/admin/users/\(try await account(address).id)" }

    /// Gives a role as a command does.
    func grant(_ role: AdminRole, to address: String) async throws {
        try await isChanged(by: GrantRole(role, to: address))
    }

    func revoke(_ role: AdminRole, of address: String) async throws {
        let eligibility = SignInEligibility(allowed: AllowedEmails(), clock: clock.clock)
        try await isChanged(
            by: RevokeRole(role, of: address, named: AdminAddresses(), eligibility, isForced: true))
    }

    /// The page that asks about a change.
    func question(_ browser: Browser, _ path: String, _ values: [String: String] = [:]) async throws -> Visit {
        let first = try await browser.get(origin + path)
        guard !values.isEmpty, first.status == 200 else { return first }
        return try await fill(browser, on: first, values)
    }

    /// Sends the form of a page, with values for fields of every kind.
    func fill(_ browser: Browser, on page: Visit, _ values: [String: String]) async throws -> Visit {
        guard let form = try page.page().form(with: "form_token") else { throw ProbeFailure("no form: \(page.text)") }
        let others = form.filled([:]).filter { values[$0.0] == nil }
        return try await browser.post(
            page.address.resolving(form.action), others + values.map { ($0.key, $0.value) })
    }

    /// Makes a change: its form if it has one, the question, and the button.
    func make(
        _ browser: Browser, _ path: String, _ values: [String: String] = [:], typing word: String? = nil
    ) async throws -> Visit {
        let page = try await question(browser, path, values)
        return try await browser.submit(
            page.page().form(with: "version"), on: page, word.map { ["typed": $0] } ?? [:])
    }
}
