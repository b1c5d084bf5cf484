import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import IdPClients
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What steps cause, in the words of the ``Model``: emails, messages to clients, rows of the audit log.
extension World {
    /// New accounts get the next numbers.
    func noteAccounts() async throws {
        let all = try await database.stored.accounts.idsByAge()
        for id in all where !accounts.contains(id) { accounts.append(id) }
    }

    func emails() -> [String] {
        let all = mailer.take()
        for email in all {
            guard let address = Cast.addresses.firstIndex(of: email.to), let code = Self.code(in: email.text) else {
                continue
            }
            for browser in browsers.indices where browsers[browser].waitsForCode == address {
                browsers[browser].codes[address] = code
                browsers[browser].links[address] = Self.between(
                    "http://localhost:4000/sign-in/link/", end: \.isWhitespace, in: email.text)
            }
        }
        for browser in browsers.indices { browsers[browser].waitsForCode = nil }
        return all.map { email in
            let address = Cast.addresses.firstIndex(of: email.to).map { "\($0)" } ?? email.to
            let kind =
                email.text.contains("/sign-in/browser/")
                ? "browser link"
                : Self.code(in: email.text) != nil
                    ? "code" : email.text.contains("/invitation/") ? "invitation" : "notice"
            return "\(address): \(kind)"
        }.sorted()
    }

    private static func code(in text: String) -> String? { Mailbox.Email(name: "", text: text).code }

    func messages() throws -> [String] {
        try transport.take().map { message in
            guard let client = Cast.clients.firstIndex(where: { message.url.contains("//\($0).example/") }) else {
                return "nobody: \(message.url)"
            }
            if client == Cast.openID {
                let form = String(decoding: message.body, as: UTF8.self)
                let token = form.split(separator: "=").last.map(String.init) ?? ""
                let claims = try JWTParts(token).claims
                return line(client, claims["sub"]?.text ?? "", claims["sid"]?.text)
            }
            let told = try SignOutMessage(body: message.body)
            return line(client, told.user, told.session)
        }.sorted()
    }

    private func line(_ client: Int, _ account: String, _ session: String?) -> String {
        let what = session.map { "session \(name(of: $0))" } ?? "all sessions"
        return "\(Cast.clients[client]): account \(number(of: account)), \(what)"
    }

    /// Rows of what has happened in a transaction. Refusals are written beside, when there is time.
    static let recorded = [
        "token_redeemed", "sign_out_queued", "user_changed", "user_erased", "user_invited", "group_changed",
        "client_changed", "client_secret_added", "client_secret_retired", "passkey_added", "passkey_renamed",
        "passkey_removed", "passkey_counter", "passkeys_forgotten", "sign_in_link_made", "sign_in_link_used",
        "role_changed", "address_change_asked", "address_change_stopped",
    ]

    private static let withCause: Set<String> = [
        "user_changed", "group_changed", "passkey_removed", "passkey_counter", "sign_in_link_made", "role_changed",
    ]

    func rows(since began: Timestamp) async throws -> [String] {
        let rows = try await database.stored.audit.from(id: AuditID.prefix(of: began)).of(anyOf: Self.recorded).all()
        return rows.filter { seen.insert($0.id).inserted }.map { row in
            let says = Self.withCause.contains(row.event)
            return Outcome.row(row.event, row.client, row.account.map(number), says ? row.cause : nil)
        }.sorted()
    }

    /// How often each event was recorded with each cause.
    func causes() async throws -> [String: Int] {
        Dictionary(try await database.stored.audit.causes().map { ($0, 1) }, uniquingKeysWith: +)
    }

    func number(of account: String) -> Int { accounts.firstIndex(of: account) ?? -1 }

    func name(of session: String) -> Int {
        var seen: [String] = []
        for it in told where !seen.contains(it.session) { seen.append(it.session) }
        return seen.firstIndex(of: session) ?? -1
    }

    func note(client: Int, session: String, account: String) {
        if !told.contains(where: { $0.client == client && $0.session == session }) {
            told.append((client, session, account))
        }
    }

    /// Seconds since the history began.
    func seconds(_ moment: Int?) -> String {
        moment.map { "\($0 - Int(start.milliseconds / 1000))" } ?? "nil"
    }
}
