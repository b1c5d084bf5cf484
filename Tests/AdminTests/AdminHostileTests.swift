import HTTPTypes
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPFlow
@testable import IdPMail
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Every change, from the router's own list, asked for by those who may not, and with what no field takes.
@Suite("Every change of the admin pages, asked for wrongly", .program)
struct AdminHostileTests {
    private static let hostile =
        "<script>alert(1)</script>\u{202e}'\"&\u{0}" + String(repeating: "x", count: 10_000)

    /// How many rows every table has, but those that a look at a page changes, and the rows of those that changes are about.
    static func rows(_ deployment: TestDeployment) async throws -> [String: [String]] {
        var rows = try await deployment.stored.counts().mapValues { ["\($0)"] }
        for name in ["audit_event", "session", "admin_notice", "mail_queue"] { rows[name] = nil }
        for name in ["account", "client", "group_member"] {
            rows[name] = try await deployment.stored.texts(of: name).sorted()
        }
        return rows
    }

    /// The address of each change, about things that exist, and the names of its fields.
    private static func changes(
        _ deployment: TestDeployment, _ browser: Browser
    ) async throws -> [(path: String, names: [String])] {
        try await AdminGateTests.prepare(deployment)
        var found: [(path: String, names: [String])] = []
        for route in try AdminGateTests.routes(deployment) where route.methods.contains(.post) {
            let path = try await AdminGateTests.path(route, deployment)
            let page = try await browser.get(deployment.origin + path)
            let names = try page.page().forms.filter { $0.method == "post" && $0.action.hasPrefix("/admin") }
                .flatMap { $0.fields.map(\.name) }
            found.append((path, names.filter { $0 != "form_token" }))
        }
        return found
    }

    private static func token(_ browser: Browser, _ deployment: TestDeployment) async throws -> String {
        let page = try await browser.get(deployment.origin + "/admin/users/invite")
        return try #require(try page.page().form(with: "address")?["form_token"])
    }

    @Test("each has a row, and each is a POST of a page with a token")
    func list() async throws {
        try await TestDeployment.openAdmin { deployment in
            let routes = try AdminGateTests.routes(deployment).filter { $0.methods.contains(.post) }
            #expect(Set(routes.map(\.path)) == Set(AdminFeature.kinds.map { $0.path }))
            let unguarded = routes.filter { !$0.checksFormToken }
            #expect(unguarded.isEmpty)
        }
    }

    @Test("without a token, with that of another session, and from another origin each is 403, and nothing changes")
    func forged() async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser()
            let changes = try await Self.changes(deployment, browser)
            deployment.clock.advance(by: .seconds(61))
            let foreign = try await Self.token(deployment.adminBrowser(), deployment)
            let own = try await Self.token(browser, deployment)
            let before = try await Self.rows(deployment)
            for (path, _) in changes {
                let address = try WebAddress(deployment.origin + path)
                let none = try await browser.post(address, [("version", "x")])
                let other = try await browser.post(address, [("form_token", foreign), ("version", "x")])
                let elsewhere = try await browser.send(
                    "POST", address,
                    [
                        ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "https://evil.example"),
                        ("Sec-Fetch-Site", "cross-site"),
                    ], body: Array(FormCoding.encode([("form_token", own), ("version", "x")]).utf8))
                #expect([none.status, other.status, elsewhere.status] == [403, 403, 403], "\(path)")
            }
            #expect(try await Self.rows(deployment) == before)
        }
    }

    @Test("markup, control characters and 10,000 characters in every field change nothing, and stay text")
    func texts() async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser()
            let changes = try await Self.changes(deployment, browser)
            let token = try await Self.token(browser, deployment)
            let before = try await Self.rows(deployment)
            for (path, names) in changes {
                let address = try WebAddress(deployment.origin + path)
                for typed in [names + ["version", "seen", "typed"], ["typed", "seen"] + names] {
                    let fields = Set(typed).map { ($0, Self.hostile) } + [("form_token", token)]
                    let page = try await browser.post(address, fields)
                    #expect([200, 400, 403, 404, 409, 413, 422, 429].contains(page.status), "\(path) \(page.status)")
                    #expect(!page.text.contains("<script>alert"), "\(path)")
                    deployment.clock.advance(by: .seconds(2))
                }
            }
            #expect(try await Self.rows(deployment) == before)
        }
    }

    @Test("a sign-in of 11 minutes makes each wait for a new one, and looks at every page")
    func oldSignIn() async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser()
            let changes = try await Self.changes(deployment, browser)
            let token = try await Self.token(browser, deployment)
            deployment.clock.advance(by: .minutes(11))
            let before = try await Self.rows(deployment)
            for (path, _) in changes {
                deployment.clock.advance(by: .seconds(20))
                let asked = try await browser.post(
                    try WebAddress(deployment.origin + path), [("form_token", token), ("version", "x")])
                #expect(asked.status == 303 && asked.reply.header("location")?.hasPrefix("/sign-in") == true, "\(path)")
            }
            #expect(try await Self.rows(deployment) == before)
            #expect(try await browser.get(deployment.origin + "/admin/users").status == 200)
        }
    }

    @Test("an admin sees every page, and the question or form of every change that can be made")
    func admin() async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser()
            try await AdminGateTests.prepare(deployment)
            for route in try AdminGateTests.routes(deployment) where route.path != AdminPurpose.path {
                let path = try await AdminGateTests.path(route, deployment)
                let page = try await browser.get(deployment.origin + path)
                // 404 and 409: the thing has no such state, as with "enable" of what is enabled.
                #expect([200, 404, 409].contains(page.status), "\(path) \(page.status)")
                #expect(page.status == 200 || route.methods.contains(.post), "\(path)")
            }
        }
    }

    @Test("ten GETs of any page by an admin change nothing")
    func looks() async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser()
            try await AdminGateTests.prepare(deployment)
            let before = try await Self.rows(deployment)
            for route in try AdminGateTests.routes(deployment) where route.path != AdminPurpose.path {
                let address = try await deployment.origin + AdminGateTests.path(route, deployment)
                for _ in 0..<10 { #expect(try await browser.get(address).status < 500, "\(address)") }
                #expect(try await Self.rows(deployment) == before, "\(address)")
            }
        }
    }

    @Test("ids of another user's session or passkey end and remove nothing")
    func othersIDs() async throws {
        try await TestDeployment.openAdmin { deployment in
            let ben = try await deployment.signedIn(as: "ben@example.com")
            deployment.clock.advance(by: .seconds(61))
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let page = try await browser.get(deployment.origin + deployment.userPath("ben@example.com"))
            let link = try #require(try page.page().link(containing: "end-session?session="))
            let id = try page.address.resolving(link).query("session") ?? ""
            let ann = try await deployment.userPath("ann@example.com")
            let wrong = try await browser.get(
                deployment.origin + ann + "/end-session?session=" + PercentCoding.encode(id))
            #expect(wrong.status == 422 && !wrong.text.contains("name=\"version\""))
            #expect(try await ben.isSignedInOnHomePage(of: deployment))
            let passkey = try await browser.get(deployment.origin + ann + "/remove-passkey?passkey=pky_none")
            #expect(passkey.status == 422)
            for unknown in ["/admin/users/usr_none", "/admin/users/usr_none/disable", "/admin/services/none/change"] {
                #expect(try await browser.get(deployment.origin + unknown).status == 404, "\(unknown)")
            }
        }
    }

    @Test("whom IDP_ADMINS names keep passkeys, links and last day, whatever an admin sends")
    func named() async throws {
        try await TestDeployment.openAdmin { deployment in
            try await deployment.invite("second@example.org")
            let browser = try await deployment.adminBrowser()
            let home = try await deployment.userPath("second@example.org")
            for action in ["link", "withdraw", "disable", "erase", "remove-passkey?passkey=x", "end-date"] {
                let page = try await deployment.question(
                    browser, "\(home)/\(action)", action == "end-date" ? ["date": "2020-01-01"] : [:])
                #expect(page.status == 403, "\(action): \(page.status)")
            }
            let csv = "email,name,groups,until\nsecond@example.org,Second,,2030-01-01"
            let refused = try await deployment.question(browser, "/admin/users/import", ["csv": csv])
            #expect(refused.status == 422 && refused.text.contains("second@example.org"))
            let own = "email,name,groups,until\n\(TestDeployment.admin),Me,,2030-01-01"
            #expect(try await deployment.question(browser, "/admin/users/import", ["csv": own]).status == 422)
            #expect(try await deployment.account("second@example.org").endsAt == nil)
        }
    }
}
