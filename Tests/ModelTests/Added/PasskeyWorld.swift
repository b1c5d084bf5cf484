import Foundation
import HTTPTypes
import ProbeKit
import SSOShared
import SSOWeb
import Storage

@testable import IdPAccounts
@testable import IdPFlow
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A passkey: what holds its key, its row, and what it has answered last.
struct WorldPasskey {
    let authenticator: SoftwareAuthenticator
    let id: String
    var answer: String?
}

/// What users and operators do with passkeys, and with links that operators print.
extension World {
    private static let origin = "http://localhost:4000"

    func answerPasskey(_ operation: Operation) async throws -> String {
        switch operation {
        case .addPasskey(let browser, let isHardware): try await addPasskey(browser, isHardware)
        case .usePasskey(let browser, let passkey, let how): try await usePasskey(browser, passkey, how)
        case .renamePasskey(let browser, let passkey):
            try await changePasskey(browser, passkey, "rename", [("name", "Phone")])
        case .removePasskey(let browser, let passkey): try await changePasskey(browser, passkey, "remove", [])
        case .removeFor(let address, let passkey): try await removeFor(address, passkey)
        case .forgetPasskeys: try await make(ForgetPasskeys(reporting: node.features.completion.changes))
        case .printLink(let address): try await printLink(address)
        case .withdrawLink(let address): try await make(WithdrawLink(Cast.addresses[address]))
        case .useLink(let browser, let link): try await useLink(browser, link)
        default: "no such step"
        }
    }

    private func options(in page: ProbeReply) -> String? {
        Self.between("data-passkey-options=\"", "\"", in: page.text)?.replacingOccurrences(of: "&quot;", with: "\"")
    }

    private func addPasskey(_ browser: Int, _ isHardware: Bool) async throws -> String {
        let page = try await send(browser, .get, "/passkeys/add")
        guard page.status == 200, let token = token(in: page), let asked = options(in: page)
        else { return "sign-in" }
        var traits = isHardware ? SoftwareAuthenticator.Traits.hardware : .synced
        traits.step = 1
        let authenticator = SoftwareAuthenticator(traits)
        let answer = try authenticator.create(asked, at: Self.origin)
        let reply = try await send(browser, .post, "/passkeys/add", [("form_token", token), ("passkey", answer)])
        guard reply.status == 303, let target = reply.header("location") else { return "\(reply.status)" }
        guard target.contains("?added") || target.hasPrefix("/sign-in?flow=") else { return target }
        let rows = try await database.stored.passkeys.ids()
        let id = rows.first { id in !passkeys.contains { $0.id == id } } ?? ""
        passkeys.append(WorldPasskey(authenticator: authenticator, id: id))
        guard let flow = Self.query("flow", in: target) else { return "added" }
        browsers[browser].flow = flow
        return "added for a client"
    }

    private func usePasskey(_ browser: Int, _ back: Int, _ how: Operation.Touch) async throws -> String {
        guard let index = Model.newest(back, of: passkeys.count), how != .replayed || passkeys[index].answer != nil
        else { return "nothing" }
        let flow = browsers[browser].flow
        let page = try await send(browser, .get, "/sign-in" + (flow.map { "?flow=\($0)" } ?? ""))
        guard page.status == 200 else {
            browsers[browser].flow = nil
            return try await land(browser, page)
        }
        guard let token = token(in: page), let asked = options(in: page) else {
            try await renewChallenge(browser)
            return "no passkey to ask for"
        }
        let authenticator = passkeys[index].authenticator
        authenticator.traits.step = how == .copied ? 0 : 1
        let answer = how == .replayed ? passkeys[index].answer : nil
        let sent = try answer ?? authenticator.get(asked, at: Self.origin)
        passkeys[index].answer = sent
        var fields = [("form_token", token), ("passkey", sent)]
        if let flow { fields.append(("flow", flow)) }
        let reply = try await send(browser, .post, "/sign-in/passkey", fields)
        if reply.status == 422 { return "refused" }
        if reply.status == 303 { browsers[browser].flow = nil }
        let landed = try await land(browser, reply)
        if reply.status == 303 { try await noteSignIn(browser, landed) }
        return landed
    }

    private func changePasskey(
        _ browser: Int, _ back: Int, _ change: String, _ fields: [(String, String)]
    ) async throws -> String {
        guard let index = Model.newest(back, of: passkeys.count) else { return "nothing" }
        let home = try await send(browser, .get, "/")
        guard home.text.contains("action=\"/sign-out\""), let token = token(in: home) else { return "signed out" }
        let reply = try await send(
            browser, .post, "/passkeys/\(change)",
            [("form_token", token), ("passkey", passkeys[index].id)] + fields)
        if reply.status == 409 { return "last" }
        guard reply.status == 303, let target = reply.header("location") else { return "\(reply.status)" }
        if target.hasPrefix("/sign-in") { return "asks again" }
        return target.hasPrefix("/passkeys?") ? String(target.dropFirst("/passkeys?".count)) : "not there"
    }

    /// As the script of a sign-in page in another tab does it, which stays open.
    func renewChallenge(_ browser: Int) async throws {
        guard let token = token(in: try await send(browser, .get, "/")) else { return }
        _ = try await send(browser, .post, "/sign-in/passkey/options", headers: [("X-CSRF-Token", token)])
    }

    private func removeFor(_ address: Int, _ back: Int) async throws -> String {
        guard let index = Model.newest(back, of: passkeys.count) else { return "refused" }
        let changes = try node.features.completion.changes
        return try await make(RemovePasskey(passkeys[index].id, of: Cast.addresses[address], reporting: changes))
    }

    private func printLink(_ address: Int) async throws -> String {
        let key = try PrintedLinkKey()
        let eligibility = SignInEligibility(allowed: try AllowedEmails(allowed), clock: clock.clock)
        let answer = try await make(PrintLink(key, for: EmailAddress(Cast.addresses[address]), eligibility))
        if answer == "changed" { links.append(key.wire) }
        return answer
    }

    private func useLink(_ browser: Int, _ back: Int) async throws -> String {
        guard let index = Model.newest(back, of: links.count) else { return "nothing" }
        _ = try await send(browser, .get, "/sign-in/operator/\(links[index])")
        let page = try await send(browser, .get, "/sign-in/operator")
        if page.status == 410 { return "over" }
        guard let token = token(in: page) else { return "no form" }
        let reply = try await send(browser, .post, "/sign-in/operator", [("form_token", token)])
        guard reply.status == 303, reply.header("location") == "/passkeys/add" else { return "\(reply.status)" }
        browsers[browser].flow = nil
        try await noteSignIn(browser, "home")
        return "signs in"
    }
}
