import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// By keyboard alone.
@Suite(
    "The daily work on admin pages in a browser", .deployment, .dependsOnMachine,
    .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
struct AdminInBrowserTests {
    private static let admin = "admin@example.com"
    private static let settings = ["IDP_ADMINS": admin, "IDP_ALLOWED_EMAILS": ""]

    private static func desk(of pair: ProcessDeployment) async throws -> Chromium {
        let chromium = try await Chromium()
        try await chromium.visit(pair.origin + "/admin")
        try await signIn(admin, in: chromium, pair)
        try await chromium.arrive("the overview") { $0 == pair.origin + "/admin" }
        return chromium
    }

    private static func signIn(_ address: String, in chromium: Chromium, _ pair: ProcessDeployment) async throws {
        try await chromium.write(address + Chromium.enter, into: "input[name=email]")
        try await type(pair.mailbox.code(to: address), in: chromium)
    }

    private static func type(_ code: String, in chromium: Chromium) async throws {
        try await chromium.write(code, into: "input[name=code]")
    }

    /// From the overview to the page of a user.
    private static func find(_ address: String, in chromium: Chromium, _ pair: ProcessDeployment) async throws {
        try await chromium.choose("nav a[href='/admin/users']")
        try await chromium.write(String(address.prefix(4)) + Chromium.enter, into: "#filter-search")
        try await chromium.choose("tbody a[href^='/admin/users/usr_']")
        _ = try await chromium.element("a[href$='/end-date']")
    }

    @Test("a leaver is searched for and disabled, is out of a service, and its answer is on the page")
    func leaver() async throws {
        let pair = try ProcessDeployment(
            settings: Self.settings.merging(["IDP_ALLOWED_EMAILS": "*@example.com"]) { $1 })
        let client = pair.clients[0]
        let entry = """
            clients:
              - {id: \(client.id), name: Wiki, access: everyone, redirect_uris: [\(client.callback)],
                 secrets: ['env:WIKI_SECRET'], logout_uri: '\(client.origin)/auth/sso/logout'}

            """
        pair.idp.set("WIKI_SECRET", to: client.secret)
        pair.idp.set("IDP_CLIENTS_FILE", to: try pair.folder.write(entry, to: "services.yaml"))
        for name in ["ID", "NAME"] { pair.idp.set("SSO_CLIENT_\(name)", to: nil) }
        for name in ["SSO_REDIRECT_URIS", "SSO_SHARED_SECRET"] { pair.idp.set(name, to: nil) }
        try await ProcessDeployment.running(pair) { pair in
            let ann = Browser()
            let first = try await ann.signIn(at: client, of: pair, as: "ann@example.com")
            _ = try await ann.follow(ann.get(first.callback()))
            #expect(try await ann.isSignedIn(at: client))

            let chromium = try await Self.desk(of: pair)
            try await Self.find("ann@example.com", in: chromium, pair)
            try await chromium.choose("a[href$='/disable']")
            // What it does is said before it is done.
            #expect(try await chromium.text(of: chromium.element("main")).contains("ann@example.com"))
            try await chromium.choose("form:has(input[name=version]) button")
            _ = try await chromium.element("[role=status]")
            try await eventually("the service has signed ann out") {
                try await ann.isSignedIn(at: client) ? nil : ()
            }
            try await eventually("the receipt is on the page of the user") {
                try await chromium.reload()
                return try await chromium.text().contains("delivered") ? () : nil
            }
            let refused = try await ann.follow(ann.beginSignIn(at: client))
            #expect(refused.address.path.hasPrefix("/sign-in"), "the session here has ended, too")
            try await chromium.quit()
        }
    }

    @Test("a joiner is invited, begins by the email, and enters a first service")
    func joiner() async throws {
        let pair = try ProcessDeployment(settings: Self.settings)
        try await ProcessDeployment.running(pair) { pair in
            let chromium = try await Self.desk(of: pair)
            try await chromium.choose("nav a[href='/admin/users']")
            try await chromium.choose("a[href='/admin/users/invite']")
            try await chromium.write("joan@example.org", into: "#field-address")
            try await chromium.choose("main form[method=post] button")
            try await chromium.choose("form:has(input[name=version]) button")
            _ = try await chromium.element("[role=status]")

            let joan = try await Chromium()
            let link = try await eventually("the invitation") {
                pair.mailbox.all(to: "joan@example.org").lazy.compactMap {
                    $0.text.decodingQuotedPrintable().firstMatch(of: #/http[^\s]+\/invitation\/[^\s]+/#).map {
                        String($0.output)
                    }
                }.first
            }
            let earlier = pair.mailbox.all(to: "joan@example.org")
            try await joan.visit(link)
            try await joan.choose("form:has(input[name=email]) \(Chromium.submit)")
            try await Self.type(pair.mailbox.code(to: "joan@example.org", besides: earlier), in: joan)
            try await joan.arrive("the home page") { $0 == pair.origin + "/" }
            try await joan.visit(pair.clients[0].origin + "/")
            try await joan.choose("a[href*='/auth/sso/authorize']")
            try await eventually("the service knows the user") {
                try await joan.text().contains("joan@example.org") ? () : nil
            }
            for browser in [chromium, joan] { try await browser.quit() }
        }
    }

    @Test("a double click on the button that adds a service shows its secret")
    func doubleClick() async throws {
        let pair = try ProcessDeployment(clients: 0, settings: Self.settings)
        pair.idp.set("IDP_CLIENTS_FILE", to: nil)
        try await ProcessDeployment.running(pair) { pair in
            let chromium = try await Self.desk(of: pair)
            try await chromium.choose("nav a[href='/admin/services']")
            try await chromium.choose("a[href='/admin/services/add']")
            try await chromium.write("wiki", into: "#field-id")
            try await chromium.write("Wiki", into: "#field-name")
            try await chromium.write("https://wiki.example.com/callback", into: "#field-address")
            try await chromium.choose("main form[method=post] button")
            try await chromium.pressTwice("form:has(input[name=version]) button")
            _ = try await chromium.element("main pre code")
            try await chromium.quit()
        }
    }

    @Test(
        "a service of another maker is added, its lines are copied, and its first user signs in",
        .enabled(if: OpenIDExample.flask.isAvailable))
    func newService() async throws {
        let service = try OpenIDService(.flask)
        let pair = try ProcessDeployment(clients: 0, settings: Self.settings)
        pair.idp.set("IDP_CLIENTS_FILE", to: nil)
        try await ProcessDeployment.running(pair) { pair in
            let chromium = try await Self.desk(of: pair)
            try await chromium.choose("nav a[href='/admin/services']")
            try await chromium.choose("a[href='/admin/services/add']")
            // A list opens at the first letter of what is wanted.
            try await chromium.write("o", into: "#field-protocol")
            try await chromium.write(service.id, into: "#field-id")
            try await chromium.write("Flask", into: "#field-name")
            try await chromium.write(service.callback, into: "#field-address")
            try await chromium.choose("main form[method=post] button")
            try await chromium.choose("form:has(input[name=version]) button")
            let lines = try await chromium.text(of: chromium.element("main pre code"))
            let secret = try #require(lines.firstMatch(of: #/client_secret=(\S+)/#)?.1, "\(lines)")
            #expect(lines.contains("issuer=\(pair.origin)\n"))

            try await service.start(issuer: pair.origin, secret: String(secret))
            try await chromium.visit(service.origin + service.example.signInPage)
            try await chromium.choose(service.example.signInButton)
            try await eventually("the service knows the user") {
                try await chromium.text().contains(Self.admin) ? () : nil
            }
            try await chromium.quit()
            try await service.stop()
        }
    }
}
