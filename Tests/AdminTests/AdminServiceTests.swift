import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Services on admin pages.
@Suite("Services on admin pages", .program, .alsoOnPostgres)
struct AdminServiceTests {
    private static let wiki = [
        "protocol": "sso", "id": "wiki", "name": "Wiki", "address": "https://wiki.example.com/callback",
    ]

    private static func open(_ body: (TestDeployment, Browser) async throws -> Void) async throws {
        try await TestDeployment.openAdmin { deployment in try await body(deployment, deployment.adminBrowser()) }
    }

    private static func view(_ deployment: TestDeployment, _ id: String = "wiki") async throws -> ClientView? {
        let file = deployment.idp.clients.clients
        return try await deployment.database.read { try ClientView.all(file: file, $0) }.first { $0.client.id == id }
    }

    @Test("a new service shows its secret and its lines once, and its page only the fingerprint")
    func add() async throws {
        try await Self.open { deployment, browser in
            let shown = try await deployment.make(browser, "/admin/services/add", Self.wiki)
            #expect(shown.status == 200 && shown.reply.header("cache-control")?.contains("no-store") == true)
            let secret = try #require(shown.text.firstMatch(of: #/SSO_SHARED_SECRET=([0-9a-f]{64})/#)?.1)
            #expect(shown.text.contains("SSO_CLIENT_ID=wiki"))
            let view = try #require(try await Self.view(deployment))
            let parsed = try SharedSecret.parse(String(secret), setting: "test")
            #expect(view.secrets.map(\.fingerprint) == [parsed.fingerprint])
            let page = try await browser.get(deployment.origin + "/admin/services/wiki")
            #expect(page.text.contains(parsed.fingerprint) && !page.text.contains(String(secret)))
            #expect(try await !deployment.auditRows().contains { $0.detail?.contains(secret) == true })
        }
    }

    @Test("a form that is sent once has the script for it on its page, and so are forms whose answer shows a secret")
    func sentOnce() {
        var names: Set<String> = []
        for (name, bytes) in IdPPages.files.flatMap(\.templates) {
            let template = String(decoding: bytes, as: UTF8.self)
            guard template.contains(" data-once") else { continue }
            names.insert(name)
            #expect(template.contains("<script src=\"{{formScript}}\" defer></script>"), "\(name)")
        }
        #expect(names.isSuperset(of: ["admin", "app-keys", "browser-link"]), "\(names)")
    }

    @Test("a service of each protocol is added by its name and its address, and its lines are shown")
    func everyProtocol() async throws {
        try await Self.open { deployment, browser in
            for settings in deployment.idp.clients.clients.protocols.all {
                let id = "new-\(settings.id)"
                let isGate = settings.addressKey == "gate_origin"
                let address = isGate ? "https://\(id).example.com" : "https://\(id).example.com/callback"
                let entry = ["protocol": settings.id, "id": id, "name": "New", "address": address]
                let shown = try await deployment.make(browser, "/admin/services/add", entry)
                #expect(shown.status == 200, "\(shown.text)")
                #expect(shown.text.contains(isGate ? "proxy_pass" : id), "\(shown.text)")
                #expect(try await Self.view(deployment, id)?.client.protocols.count == 1)
                let wrong = try await deployment.question(
                    browser, "/admin/services/add", entry.merging(["id": "x", "address": "ftp://x"]) { $1 })
                #expect(wrong.status == 422 && wrong.text.contains("href=\"#field-address\""), "\(wrong.text)")
            }
        }
    }

    @Test("a service behind the gate alone is offered no secret and no redirect URI, and takes none")
    func behindTheGate() async throws {
        try await Self.open { deployment, browser in
            let address = "https://wiki.example.com"
            let entry = Self.wiki.merging(["protocol": "gate", "address": address]) { $1 }
            let shown = try await deployment.make(browser, "/admin/services/add", entry)
            #expect(shown.text.contains("proxy_pass http://127.0.0.1:0/gate/wiki/"), "as IDP_LISTEN says")
            _ = try await deployment.make(browser, "/admin/services/add", Self.wiki.merging(["id": "shop"]) { $1 })
            for (id, hasAddresses) in [("wiki", false), ("shop", true)] {
                let home = "/admin/services/\(id)"
                let page = try await browser.get(deployment.origin + home).text
                for action in ["rotate", "register"] { #expect(page.contains("\(home)/\(action)") == hasAddresses) }
                #expect(page.contains("its proxy asks about every request") != hasAddresses && !page.contains("PKCE"))
                let change = try await browser.get(deployment.origin + home + "/change").text
                #expect(change.contains("name=\"redirect_uris\"") == hasAddresses)
            }
            let refused = try await deployment.question(
                browser, "/admin/services/wiki/register", ["address": address + "/callback"])
            #expect(refused.status == 422 && refused.text.contains("has none"), "\(refused.text)")
            #expect(try await Self.view(deployment)?.client.redirectURIs.isEmpty == true)
        }
    }

    @Test("wrong keys are named at their fields, and nothing is added")
    func wrong() async throws {
        try await Self.open { deployment, browser in
            var values = Self.wiki
            values["address"] = "http://wiki.example.com/callback"
            let page = try await deployment.question(browser, "/admin/services/add", values)
            #expect(page.status == 422 && page.text.contains("href=\"#field-address\""), "\(page.text)")
            #expect(page.text.contains("<bdi lang=\"en\">") && !page.text.contains("redirect_uris of"))
            values = Self.wiki
            values["id"] = "partner-1"
            let taken = try await deployment.question(browser, "/admin/services/add", values)
            #expect(taken.status == 422 && taken.text.contains("already"))
            #expect(try await Self.view(deployment) == nil)
        }
    }

    @Test("what is wrong with a service stands at its field, with the field's name, and shows no line of a file")
    func wrongWords() async throws {
        try await Self.open { deployment, browser in
            for (field, value, words) in [
                ("address", "", "Address: Fill this field in."), ("name", "", "Name: Fill this field in."),
                ("id", "-a", "must be at most 63 lower-case letters, digits and -, with a letter or digit first"),
                ("protocol", "saml", "Choose a protocol from the list."),
            ] {
                let page = try await deployment.question(
                    browser, "/admin/services/add", Self.wiki.merging([field: value]) { $1 })
                #expect(page.status == 422 && page.text.contains("href=\"#field-\(field)\""), "\(page.text)")
                #expect(page.text.replacing("&quot;", with: "\"").contains(words), "\(field): \(page.text)")
                #expect(!page.text.contains("redirect_uris") && !page.text.contains("For example id"), "\(field)")
            }
            _ = try await deployment.make(browser, "/admin/services/add", Self.wiki)
            let empty = ["redirect_uris": "", "name": "Wiki"]
            let page = try await deployment.question(browser, "/admin/services/wiki/change", empty)
            #expect(page.status == 422 && page.text.contains("href=\"#field-redirect_uris\""), "\(page.text)")
            #expect(page.text.contains("Redirect URIs: Fill this field in."), "\(page.text)")
        }
    }

    @Test("a key is changed, a secret is rotated and retired, and a service is disabled, enabled and removed")
    func changes() async throws {
        try await Self.open { deployment, browser in
            _ = try await deployment.make(browser, "/admin/services/add", Self.wiki)
            let home = "/admin/services/wiki"
            let changed = try await deployment.make(browser, home + "/change", ["name": "Wiki of all"])
            #expect(changed.status == 303, "\(changed.text)")
            #expect(try await Self.view(deployment)?.client.name == "Wiki of all")
            #expect(try await deployment.make(browser, home + "/rotate").status == 200)
            #expect(try await Self.view(deployment)?.secrets.count == 2)
            #expect(try await deployment.make(browser, home + "/retire").status == 303)
            #expect(try await Self.view(deployment)?.secrets.count == 1)
            let early = try await deployment.question(browser, home + "/remove")
            #expect(early.status == 409, "it is enabled")
            #expect(try await deployment.make(browser, home + "/disable").status == 303)
            #expect(try await Self.view(deployment)?.isEnabled == false)
            #expect(try await deployment.make(browser, home + "/enable").status == 303)
            #expect(try await deployment.make(browser, home + "/disable").status == 303)
            #expect(try await deployment.make(browser, home + "/remove", typing: "wrong").status == 422)
            #expect(try await deployment.make(browser, home + "/remove", typing: "wiki").status == 303)
            #expect(try await Self.view(deployment) == nil)
        }
    }

    @Test("an address at a registered host is registered with one press, and another host must be typed")
    func register() async throws {
        try await Self.open { deployment, browser in
            _ = try await deployment.make(browser, "/admin/services/add", Self.wiki)
            let path = "/admin/services/wiki/register?address="
            let near = "https://wiki.example.com/callback/"
            let question = try await browser.get(deployment.origin + path + PercentCoding.encode(near))
            #expect(question.text.contains("https://wiki.example.com/callback"))
            let made = try await browser.submit(question.page().form(with: "version"), on: question)
            #expect(made.status == 303)
            #expect(try await Self.view(deployment)?.client.redirectURIs.contains(near) == true)
            let others = [
                "https://evil.example/callback", "https://wiki.example.com.evil.example/",
                "https://wiki.example.com:8443/",
            ]
            for far in others {
                let asked = try await browser.get(deployment.origin + path + PercentCoding.encode(far))
                let refused = try await browser.submit(asked.page().form(with: "version"), on: asked)
                #expect(refused.status == 422, "\(far)")
            }
            #expect(try await Self.view(deployment)?.client.redirectURIs.count == 2)
        }
    }

    @Test("a service with a logo is changed and gets an address, and keeps its logo")
    func withLogo() async throws {
        try await Self.open { deployment, browser in
            let svg = Array("<svg xmlns='http://www.w3.org/2000/svg'></svg>".utf8)
            let client = AddedClient()
            try await deployment.add(client, ["logo": .text("wiki.svg")], logo: svg)
            let home = "/admin/services/wiki"
            let changed = try await deployment.make(browser, home + "/change", ["name": "Wiki of all"])
            #expect(changed.status == 303, "\(changed.text)")
            let address = ["address": client.callback + "/two"]
            #expect(try await deployment.make(browser, home + "/register", address).status == 303)
            let view = try #require(try await Self.view(deployment))
            #expect(view.client.name == "Wiki of all" && view.client.redirectURIs.count == 2)
            #expect(view.client.logo?.content == svg)
        }
    }

    @Test("a problem whose key is no field of the form leads to the page")
    func problemElsewhere() async throws {
        try await Self.open { deployment, _ in
            let pages = try #require(try BuiltInPages.idp(Brand(deployment.idp.settings)))
            let writer = AdminWriter(texts: pages.texts(in: .english), now: deployment.clock.now)
            let problem = (field: "logo", text: Text("admin.no-change"))
            #expect(writer.problem(problem, at: ["name"]).href == "content")
            #expect(writer.problem(problem, at: ["name", "logo"]).href == "field-logo")
        }
    }

    @Test("a cell with a long word is marked, whatever its text is made of")
    func longWords() async throws {
        try await Self.open { deployment, _ in
            let pages = try #require(try BuiltInPages.idp(Brand(deployment.idp.settings)))
            let writer = AdminWriter(texts: pages.texts(in: .english), now: deployment.clock.now)
            let word = String(repeating: "W", count: 60)
            for text in [Text("admin.value", ["value": word]), Text("admin.disabled-named", ["name": word])] {
                #expect(writer.cell(text).isLong && writer.link(text, "/").isLong)
            }
            #expect(!writer.cell(Text("admin.everyone")).isLong && writer.sentence("Use `\(word)`.").isLong)
        }
    }

    @Test("what a command warns of about a client stands on the page, unless it was so before")
    func warnings() async throws {
        try await Self.open { deployment, browser in
            try await deployment.isChanged(by: MakeGroup("staff"))
            _ = try await deployment.make(browser, "/admin/services/add", Self.wiki)
            let home = "/admin/services/wiki"
            let groups = ["expose_groups": "staf"]
            let question = try await deployment.question(browser, home + "/change", groups)
            #expect(question.text.contains("which nobody has made"), "\(question.text)")
            #expect(question.text.contains("staff?"), "\(question.text)")
            #expect(try await browser.submit(question.page().form(with: "version"), on: question).status == 303)
            let again = try await deployment.question(browser, home + "/change", ["name": "Wiki of all"])
            #expect(again.status == 200 && !again.text.contains("which nobody has made"))
            let gate = ["protocol": "gate", "id": "board", "name": "Board", "address": "https://board.example.com"]
            let added = try await deployment.question(browser, "/admin/services/add", gate)
            #expect(added.text.contains("IDP_TRUSTED_PROXIES"), "\(added.text)")
        }
    }

    @Test("an address that was refused is shown beside the nearest one, with what differs, and mended by a press")
    func refusedAddress() async throws {
        try await Self.open { deployment, browser in
            _ = try await deployment.make(browser, "/admin/services/add", Self.wiki)
            let visitor = deployment.browser()
            for path in ["callback/", "callback/", "one", "two", "three"] {
                let sent = PercentCoding.encode("https://wiki.example.com/" + path)
                let refused = try await visitor.get(
                    deployment.origin + "/auth/sso/authorize?client_id=wiki&state=s&redirect_uri=" + sent)
                #expect(refused.status == 400)
            }
            let page = try await eventually("the refused addresses") {
                let page = try await browser.get(deployment.origin + "/admin/services/wiki")
                return page.text.contains("https://wiki.example.com/<mark>two") ? page : nil
            }
            #expect(page.text.contains("https://wiki.example.com/callback<mark>/</mark>"), "\(page.text)")
            #expect(!page.text.contains("three"), "a network has three addresses")
            #expect(page.text.contains("as it is sent") && !page.text.contains("nearest_redirect_uri"))
            let link = try #require(try page.page().link(containing: "callback%2F"))
            let question = try await browser.click(link, on: page)
            _ = try await browser.submit(question.page().form(with: "version"), on: question)
            #expect(try await Self.view(deployment)?.client.redirectURIs.count == 2)
        }
    }

    @Test("a service of the file is shown with its line, and no page changes it")
    func ofFile() async throws {
        try await Self.open { deployment, browser in
            let page = try await browser.get(deployment.origin + "/admin/services/partner-1")
            #expect(page.status == 200 && page.text.contains("clients.yaml:"))
            for action in ["change", "rotate", "disable"] {
                let refused = try await deployment.question(browser, "/admin/services/partner-1/\(action)")
                #expect(refused.status == 409 || !refused.text.contains("name=\"version\""), "\(action)")
            }
        }
    }
}
