import HTTPTypes
import Hummingbird
import SSOShared
import SSOWeb
import Storage
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPFlow
@testable import IdPMail
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// For whom there are admin pages.
@Suite("The gate of the admin pages", .program)
struct AdminGateTests {
    /// Every route below `/admin`, from the router's own list.
    static func routes(_ deployment: TestDeployment) throws -> [Route] {
        let found = Mutex<[Route]>([])
        let services = IdPServices(
            ProgramServices(
                database: deployment.database, clock: deployment.clock.clock, logger: deployment.log.logger("idp"),
                pages: try BuiltInPages.idp(Brand(deployment.idp.settings))),
            mailer: OutboxMailer(folder: deployment.mailbox.folder), devPages: deployment.dev)
        _ = try buildIdP(
            settings: deployment.idp.settings, services: services,
            inspecting: { _, routes in found.withLock { $0 = routes } })
        return found.withLock { $0 }.filter { $0.path == "/admin" || $0.path.hasPrefix("/admin/") }
    }

    /// A path of the route about things that exist.
    static func path(_ route: Route, _ deployment: TestDeployment) async throws -> String {
        let id: String =
            if route.path.hasPrefix("/admin/users/") || route.path.hasPrefix("/admin/roles/") {
                try await deployment.account("ann@example.com").id
            } else if route.path.hasPrefix("/admin/services/") { "wiki" } else { "staff" }
        return route.path.replacing(":id", with: id)
    }

    /// Sends a GET and a POST without a token to each route, and returns the statuses.
    ///
    /// - Parameter isVisitor: each request begins a flow, of which a session begins so many in a minute.
    static func visit(
        _ browser: Browser, _ deployment: TestDeployment, isVisitor: Bool = false
    ) async throws -> [String: (Int, Int)] {
        var found: [String: (Int, Int)] = [:]
        for route in try routes(deployment) where route.path != AdminPurpose.path {
            let path = try await path(route, deployment)
            let get = try await browser.get(deployment.origin + path)
            let post = try await browser.post(try WebAddress(deployment.origin + path), [])
            found[route.path] = (get.status, post.status)
            if isVisitor { deployment.clock.advance(by: .seconds(10)) }
        }
        return found
    }

    static func prepare(_ deployment: TestDeployment) async throws {
        _ = try await deployment.adminBrowser(as: "ann@example.com")
        try await deployment.isChanged(by: MakeGroup("staff"))
        // One of the file is refused before anything is read.
        try await deployment.add(AddedClient("wiki"))
    }

    @Test("every route is a page of a section or a change, and only admin routes are below /admin")
    func kinds() async throws {
        try await TestDeployment.openAdmin { deployment in
            let routes = try Self.routes(deployment)
            #expect(routes.count > 40 && routes.allSatisfy { $0.kind == .admin })
            let actions = Set(AdminFeature.kinds.map { $0.path })
            #expect(actions.isSubset(of: Set(routes.map(\.path))))
            #expect(Set(AdminFeature.kinds.map { $0.id }).count == AdminFeature.kinds.count)
        }
    }

    @Test("a visitor is sent to sign in by every route, and comes back to the page")
    func visitor() async throws {
        try await TestDeployment.openAdmin { deployment in
            try await Self.prepare(deployment)
            for (path, statuses) in try await Self.visit(deployment.browser(), deployment, isVisitor: true) {
                #expect(statuses == (303, 303), "\(path)")
            }
            let browser = deployment.browser()
            let asked = try await browser.get(deployment.origin + "/admin/users?search=an")
            let signIn = try asked.location()
            #expect(signIn.path == "/sign-in" && signIn.query("flow") != nil)
            let waiting = try await browser.ask(for: TestDeployment.admin, on: browser.follow(asked))
            let page = try await browser.follow(
                browser.enter(deployment.mailbox.code(to: TestDeployment.admin), on: waiting))
            #expect(page.address.path == "/admin/users" && page.address.query("search") == "an", "\(page.text)")
        }
    }

    /// Who has no admin pages: every request gets the page of an unknown path.
    enum Outsider: String, CaseIterable, Sendable {
        case user, notProven, demoted, disabled, otherNetwork, nativeShell, nobodyConfigured, visitorOfNoAdmin
    }

    @Test("every route is an unknown path for a user without a role", arguments: Outsider.allCases)
    func outsider(_ outsider: Outsider) async throws {
        var settings: [String: String] = [:]
        if outsider == .otherNetwork { settings["IDP_ADMIN_NETWORKS"] = "192.0.2.0/24" }
        if outsider == .nobodyConfigured || outsider == .visitorOfNoAdmin { settings["IDP_ADMINS"] = "" }
        try await TestDeployment.openAdmin(settings: settings) { deployment in
            try await Self.prepare(deployment)
            let browser: Browser
            switch outsider {
            case .user, .nobodyConfigured: browser = try await deployment.adminBrowser(as: "ben@example.com")
            case .visitorOfNoAdmin: browser = deployment.browser()
            case .notProven:
                browser = deployment.browser()
                let link = try await deployment.printLink(for: "new@example.com")
                try await deployment.grant(.admin, to: "new@example.com")
                let page = try await browser.follow(browser.get(link))
                _ = try await browser.submit(page.page().form(with: "form_token"), on: page)
            case .demoted:
                browser = try await deployment.adminBrowser(as: "ben@example.com")
                try await deployment.grant(.admin, to: "ben@example.com")
                #expect(try await browser.get(deployment.origin + "/admin").status == 200)
                try await deployment.revoke(.admin, of: "ben@example.com")
            case .disabled:
                browser = try await deployment.adminBrowser(as: "ben@example.com")
                try await deployment.grant(.admin, to: "ben@example.com")
                #expect(try await browser.get(deployment.origin + "/admin").status == 200)
                try await deployment.isChanged(by: DisableUser("ben@example.com"))
            case .otherNetwork: browser = try await deployment.adminBrowser()
            case .nativeShell:
                browser = try await deployment.adminBrowser().twin(userAgent: "Hotwire Native iOS; Turbo Native")
            }
            // A disabled user is a visitor.
            let expected = outsider == .disabled ? (303, 303) : (404, 404)
            let isVisitor = outsider == .disabled
            for (path, statuses) in try await Self.visit(browser, deployment, isVisitor: isVisitor) {
                #expect(statuses == expected, "\(path)")
            }
        }
    }

    @Test("the page of an unknown path has the same bytes, whatever the method, type and size of a request")
    func unknownPath() async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser(as: "ben@example.com")
            func bytes(_ visit: Visit) -> String {
                visit.text.replacing(#/[0-9A-Z]{4}-[0-9A-Z]{4}|<code[^>]*>[^<]*</code>/#, with: "")
                    .replacing(visit.address.path, with: "")
            }
            let unknown = try await browser.get(deployment.origin + "/no-such-page")
            let admin = try await browser.get(deployment.origin + "/admin")
            #expect(unknown.status == 404 && admin.status == 404 && bytes(unknown) == bytes(admin))
        }
    }

    @Test("the switch of languages works on every admin page, and says to nobody else that there is one")
    func languages() async throws {
        try await TestDeployment.openAdmin { deployment in
            try await Self.prepare(deployment)
            let (admin, user) = (
                try await deployment.adminBrowser(), try await deployment.adminBrowser(as: "ben@example.com")
            )
            var switched = 0
            for route in try Self.routes(deployment) where route.path != AdminPurpose.path {
                let address = try await deployment.origin + Self.path(route, deployment)
                for language in ["de", "en"] {
                    let refused = try await user.get("\(address)?set_language=\(language)")
                    #expect(refused.status == 404 && refused.reply.header("set-cookie") == nil, "\(address)")
                    let page = try await admin.get(address)
                    guard page.status == 200, page.text.contains("set_language") else { continue }
                    let chosen = try await admin.follow(admin.get("\(address)?set_language=\(language)"))
                    #expect(chosen.address.absolute == address && chosen.reply.header("content-language") == language)
                    switched += 1
                }
            }
            #expect(switched > 20)
        }
    }

    @Test("an auditor reads every page and exports, and every change is 403 and in the audit log")
    func auditor() async throws {
        try await TestDeployment.openAdmin { deployment in
            try await Self.prepare(deployment)
            let browser = try await deployment.adminBrowser(as: "ben@example.com")
            try await deployment.grant(.auditor, to: "ben@example.com")
            let changes = Set(AdminFeature.kinds.filter { !$0.isForAuditors }.map { $0.path })
            for route in try Self.routes(deployment) where route.path != AdminPurpose.path {
                let path = try await Self.path(route, deployment)
                let page = try await browser.get(deployment.origin + path)
                let expected = changes.contains(route.path) ? 403 : 200
                #expect(page.status == expected || page.status == 404 && path.hasSuffix("/staff"), "\(path)")
                guard page.status == 200 else { continue }
                #expect(!changes.contains { page.text.contains("href=\"\($0)\"") }, "\(path) offers no change")
            }
            let rows = try await deployment.auditRows(.adminRefused, untilThereAre: 30)
            #expect(rows.allSatisfy { $0.cause == "role" })
        }
    }

    @Test("30 minutes without a request ask for a new sign-in, and 29 do not")
    func idle() async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser()
            #expect(try await browser.get(deployment.origin + "/admin").status == 200)
            deployment.clock.advance(by: .minutes(29))
            #expect(try await browser.get(deployment.origin + "/admin").status == 200)
            deployment.clock.advance(by: .minutes(31))
            let asked = try await browser.get(deployment.origin + "/admin/audit")
            #expect(asked.status == 303)
            let signIn = try await browser.follow(asked)
            #expect(signIn.address.path == "/sign-in" && signIn.status == 200, "\(signIn.text)")
            let earlier = deployment.mailbox.all(to: TestDeployment.admin).count
            let waiting = try await browser.ask(for: TestDeployment.admin, on: signIn)
            let page = try await browser.follow(
                browser.enter(deployment.mailbox.code(to: TestDeployment.admin, count: earlier + 1), on: waiting))
            #expect(page.address.path == "/admin/audit" && page.status == 200)
        }
    }

    @Test(
        "a form that is sent after 30 minutes waits with what was typed, and makes no change without its token",
        arguments: [true, false])
    func idleForm(isQuestion: Bool) async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let path = try await deployment.userPath("ann@example.com") + "/name"
            let values = ["name": "Ann Example"]
            let page =
                isQuestion
                ? try await deployment.question(browser, path, values) : try await browser.get(deployment.origin + path)
            deployment.clock.advance(by: .minutes(31))
            let forged = try await browser.post(page.address.resolving(path), Array(values.map { ($0.key, $0.value) }))
            #expect(forged.status == 403)
            let asked =
                isQuestion
                ? try await browser.submit(page.page().form(with: "version"), on: page)
                : try await deployment.fill(browser, on: page, values)
            #expect(try asked.status == 303 && asked.location().path == "/sign-in", "\(asked.text)")
            let earlier = deployment.mailbox.all(to: TestDeployment.admin)
            let waiting = try await browser.ask(for: TestDeployment.admin, on: browser.follow(asked))
            let again = try await browser.follow(
                browser.enter(deployment.mailbox.code(to: TestDeployment.admin, besides: earlier), on: waiting))
            #expect(again.text.contains("Ann Example") && again.text.contains("name=\"version\""), "\(again.text)")
            #expect(try await deployment.account("ann@example.com").name == "ann")
        }
    }

    @Test("the first request to the pages counts from the sign-in", arguments: [29, 31])
    func firstRequest(after minutes: Int) async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser()
            deployment.clock.advance(by: .minutes(minutes))
            #expect(try await browser.get(deployment.origin + "/").status == 200, "the session goes on")
            let asked = try await browser.get(deployment.origin + "/admin/audit")
            guard minutes > 30 else { return #expect(asked.status == 200) }
            #expect(asked.status == 303)
            let earlier = deployment.mailbox.all(to: TestDeployment.admin).count
            let waiting = try await browser.ask(for: TestDeployment.admin, on: browser.follow(asked))
            let page = try await browser.follow(
                browser.enter(deployment.mailbox.code(to: TestDeployment.admin, count: earlier + 1), on: waiting))
            #expect(page.address.path == "/admin/audit" && page.status == 200)
        }
    }

    @Test("a text that names no network is a problem, and not everywhere", arguments: [",", ", ,", " ", " , ,,"])
    func noNetwork(_ text: String) {
        let reader = SettingsReader(SettingsSource(["IDP_ADMIN_NETWORKS": text]))
        #expect(reader.value(AdminSettings.networks) == nil)
        #expect(reader.problems.count == 1 && reader.problems.allSatisfy { $0.contains("names no network") })
        let one = SettingsReader(SettingsSource(["IDP_ADMIN_NETWORKS": "10.0.0.0/8" + text]))
        #expect(one.value(AdminSettings.networks)?.count == 1 && one.problems.isEmpty)
        #expect(SettingsReader(SettingsSource([:])).value(AdminSettings.networks)?.isEmpty == true, "not set")
    }
}
