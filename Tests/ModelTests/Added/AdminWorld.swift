import HTTPTypes
import SSOShared
import SSOWeb
import Storage

@testable import IdPAccounts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// How the steps of ``AdminModel`` are carried out.
struct AdminWorld {
    let isNamed: Bool

    func step(_ world: World, _ step: AddedStep) async throws -> String {
        let words = step.name.split(separator: " ").map(String.init)
        let role = words.count > 1 ? AdminRole(rawValue: words[1]) : nil
        let address = Cast.addresses[step.back]
        switch (words[0], role) {
        case ("tell", _):
            try await world.node.features.adminNotices.round()
            return "told"
        case ("grant", let role?): return try await world.make(GrantRole(role, to: address))
        case ("revoke", let role?):
            let named = try isNamed ? AdminAddresses(Cast.addresses[0]) : AdminAddresses()
            let eligibility = SignInEligibility(allowed: try AllowedEmails(world.allowed), clock: world.clock.clock)
            return try await world.make(RevokeRole(role, of: address, named: named, eligibility))
        default: return try await visit(world, step, words[0], role)
        }
    }

    private func visit(_ world: World, _ step: AddedStep, _ what: String, _ role: AdminRole?) async throws -> String {
        let address = Cast.addresses[step.back]
        if what == "signs" { try await world.purgeSessions() }
        let account = try await world.database.read { try AccountStore.find(email: address, $0)?.id } ?? "nobody"
        let path =
            switch (what, role) {
            case ("disables", _): "/admin/users/\(account)/disable"
            case ("enables", _): "/admin/users/\(account)/enable"
            case ("signs", _): "/admin/users/\(account)/sign-out"
            case ("grants", _): "/admin/roles/grant"
            case ("revokes", let role?): "/admin/roles/\(account)/revoke-\(role.rawValue)"
            default: "/admin"
            }
        var reply = try await world.send(step.browser, .get, path)
        if what == "grants", let role, reply.status == 200, let token = world.token(in: reply) {
            let fields = [("form_token", token), ("address", address), ("role", role.rawValue)]
            reply = try await world.send(step.browser, .post, path, fields)
        }
        guard reply.status == 200, what != "page" else { return said(reply) }
        guard let token = world.token(in: reply), let version = hidden("version", in: reply),
            let seen = hidden("seen", in: reply)
        else { return "no question" }
        var fields = [("form_token", token), ("version", version), ("seen", seen)]
        if what == "grants", let role { fields += [("address", address), ("role", role.rawValue)] }
        return said(try await world.send(step.browser, .post, path, fields), isMade: true)
    }

    private func hidden(_ name: String, in reply: ProbeReply) -> String? {
        World.between("name=\"\(name)\" value=\"", "\"", in: reply.text)
    }

    private func said(_ reply: ProbeReply, isMade: Bool = false) -> String {
        guard reply.status == 303, let target = reply.header("location") else {
            return reply.status == 200 ? "page" : "\(reply.status)"
        }
        if target.contains("done=") { return "done" }
        return target.hasPrefix("/sign-in?flow=") ? isMade ? "asks again" : "signs in" : target
    }
}
