import SSOShared
import SSOWeb
import Testing

@testable import IdPClients
@testable import IdPOIDC
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Where a logout ends: by who is signed in here, the hint, and the address.
@Suite("OpenID Connect: where a logout ends", .program)
struct OIDCLogoutTableTests {
    private static let bye = "http://127.0.0.9:4300/bye"
    private static let keys = "post_logout_redirect_uris: [\"\(bye)\"]"
    private static let state = "s 1&x=%2B+/?"

    enum Hint: String, CaseIterable, Sendable { case good, expired, changed, ofAnother, none }
    enum Address: String, CaseIterable, Sendable { case registered, slashTooMany, none }
    private enum End { case back, home, asksThenBack, asksThenHome }

    /// RP-Initiated Logout 1.0, 2 and 3.
    private static func expected(isSignedIn: Bool, _ hint: Hint, _ address: Address) -> End {
        switch (isSignedIn, hint) {
        case (false, .changed), (false, .none): .home
        case (false, _): address == .registered ? .back : .home
        case (true, .good), (true, .expired):
            [.registered: .back, .slashTooMany: .asksThenHome, .none: .home][address] ?? .home
        case (true, .none): address == .registered ? .asksThenBack : .asksThenHome
        case (true, .changed), (true, .ofAnother): .asksThenHome
        }
    }

    private static func fields(_ hint: String?, _ address: Address) -> [(String, String)] {
        let sent = [Address.registered: bye, .slashTooMany: bye + "/"][address]
        return [("client_id", "partner-1"), ("state", state)] + (hint.map { [("id_token_hint", $0)] } ?? [])
            + (sent.map { [("post_logout_redirect_uri", $0)] } ?? [])
    }

    private static func hint(_ deployment: TestDeployment, _ browser: Browser) async throws -> String {
        let reply = try await deployment.oidcToken(deployment.oidcCode(browser), as: deployment.client)
        return try #require(reply.json()["id_token"]?.text)
    }

    @Test(
        "with a hint of ours the user goes back, session or not; without one after agreeing; anything else stays here",
        arguments: [true, false], Hint.allCases)
    func ends(isSignedIn: Bool, hint: Hint) async throws {
        try await TestDeployment.openWithOIDC(more: Self.keys) { deployment in
            let other = try await Self.hint(deployment, deployment.signedIn(as: "ben@example.com"))
            var number = 0
            for address in Address.allCases {
                for isPost in [false, true] {
                    number += 1
                    let user = try await deployment.signedIn(as: "ann\(number)@example.com")
                    let own = try await Self.hint(deployment, user)
                    if hint == .expired { deployment.clock.advance(by: .minutes(30)) }
                    let sent: String? =
                        switch hint {
                        case .good, .expired: own
                        case .changed: String(own.dropLast(6)) + "AAAAAA"
                        case .ofAnother: other
                        case .none: nil
                        }
                    let browser = isSignedIn ? user : deployment.browser()
                    let fields = Self.fields(sent, address)
                    var visit: Visit
                    if isPost {
                        visit = try await browser.post(WebAddress(deployment.origin + OIDCPath.logout), fields)
                        #expect(visit.status == 303)
                        visit = try await browser.get(visit.location())
                    } else {
                        visit = try await browser.get(
                            deployment.origin + OIDCPath.logout + "?" + FormCoding.encode(fields))
                    }
                    let end = Self.expected(isSignedIn: isSignedIn, hint, address)
                    try await Self.check(end, visit, browser, deployment, "\(address) POST \(isPost)")
                }
            }
        }
    }

    private static func check(
        _ end: End, _ first: Visit, _ browser: Browser, _ deployment: TestDeployment, _ comment: Comment
    ) async throws {
        var visit = first
        #expect(visit.status == 303, comment)
        if end == .asksThenBack || end == .asksThenHome {
            #expect(try visit.location().absolute == deployment.origin + OIDCPath.signOut, comment)
            let page = try await browser.follow(visit)
            #expect(try await browser.isSignedInOnHomePage(of: deployment), comment)
            visit = try await browser.submit(page.page().form(to: OIDCPath.signOut), on: page)
        }
        let location = try visit.location()
        if end == .back || end == .asksThenBack {
            #expect(location.absolute.hasPrefix(bye + "?state="), comment)
            #expect(location.query("state") == state, comment)
        } else {
            #expect(location.absolute == deployment.origin + "/", comment)
        }
        #expect(try await !browser.isSignedInOnHomePage(of: deployment), comment)
    }

    @Test("after a good logout the same link, sent once more, goes back again")
    func twice() async throws {
        try await TestDeployment.openWithOIDC(more: Self.keys) { deployment in
            let browser = try await deployment.signedIn()
            let fields = Self.fields(try await Self.hint(deployment, browser), .registered)
            for _ in 1...2 {
                let visit = try await browser.get(
                    deployment.origin + OIDCPath.logout + "?" + FormCoding.encode(fields))
                #expect(try visit.location().absolute.hasPrefix(Self.bye + "?state="))
            }
        }
    }

    @Test("the page that asks keeps the request in a sealed field: a changed one, and that of another user, stay here")
    func field() async throws {
        try await TestDeployment.openWithOIDC(more: Self.keys) { deployment in
            let asking =
                deployment.origin + OIDCPath.logout + "?" + FormCoding.encode(Self.fields(nil, .registered))
            let ben = try await deployment.signedIn(as: "ben@example.com")
            let bens = try await ben.follow(ben.get(asking)).page().form(to: OIDCPath.signOut)
            let foreign = try #require(bens?["back"])
            for (number, value) in ["x", String(foreign.dropLast(4)) + "AAAA", foreign, Self.bye].enumerated() {
                let browser = try await deployment.signedIn(as: "ann\(number)@example.com")
                let page = try await browser.follow(browser.get(asking))
                #expect(page.address.target == OIDCPath.signOut)
                #expect(!page.text.contains("127.0.0.9:4300"))
                let done = try await browser.submit(
                    page.page().form(to: OIDCPath.signOut), on: page, ["back": value])
                #expect(try done.location().absolute == deployment.origin + "/", "\(number)")
            }
            // A double click: the second form finds nobody signed in, and leads where the first one did.
            let page = try await ben.follow(ben.get(asking))
            for _ in 1...2 {
                let done = try await ben.submit(page.page().form(to: OIDCPath.signOut), on: page)
                #expect(try done.location().absolute.hasPrefix(Self.bye))
            }
        }
    }

    @Test("a later request without a way back ends the one before, and a policy for the way back is only on its page")
    func later() async throws {
        try await TestDeployment.openWithOIDC(more: Self.keys) { deployment in
            let browser = try await deployment.signedIn()
            let logout = deployment.origin + OIDCPath.logout
            let first = try await browser.follow(
                browser.get(logout + "?" + FormCoding.encode(Self.fields(nil, .registered))))
            #expect(first.reply.header("content-security-policy")?.contains("form-action") == false)
            let second = try await browser.follow(browser.get(logout))
            #expect(second.reply.header("content-security-policy")?.contains("form-action 'self'") == true)
            let done = try await browser.submit(second.page().form(to: OIDCPath.signOut), on: second)
            #expect(try done.location().absolute == deployment.origin + "/")
        }
    }

    @Test("an address that the user is not sent to is logged, with the registered one that is nearest")
    func logged() async throws {
        try await TestDeployment.openWithOIDC(more: Self.keys) { deployment in
            let browser = try await deployment.signedIn()
            let fields = Self.fields(try await Self.hint(deployment, browser), .slashTooMany)
            _ = try await browser.get(deployment.origin + OIDCPath.logout + "?" + FormCoding.encode(fields))
            let line = deployment.log.text.split(separator: "\n").first { $0.contains(" sign_out_address_refused ") }
            for part in [
                "\"cause\": not_registered", "\"client\": partner-1", "\"nearest\": \(Self.bye)",
                "\"sent_address\": \(Self.bye)/",
            ] {
                #expect(line?.contains(part) == true, "\(part)")
            }
            // That of `/auth/sso` has the same line.
            _ = try await browser.get(
                deployment.origin + SSOPath.signOut
                    + "?client_id=partner-1&redirect_uri=https%3A%2F%2Fpartner-1.example%2Fbye%2F")
            let rows = try await deployment.auditRows(.signOutAddressRefused, untilThereAre: 2)
            #expect(rows.map(\.cause) == ["not_registered", "not_registered"])
            #expect(deployment.log.text.contains("\"nearest\": https://partner-1.example/bye"))
        }
    }
}
