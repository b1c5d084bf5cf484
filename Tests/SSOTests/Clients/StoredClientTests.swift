import Foundation
import IdPAuthorization
import IdPFlow
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPClients
@testable import IdPMail
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Clients that commands add and change while two processes serve on one database.
@Suite("Clients in the database", .program)
struct StoredClientTests {
    @Test("each change holds in every process from its next request on")
    func atOnce() async throws {
        try await TestDeployment.open { one in
            try await one.withSecondIdP { two in
                let wiki = AddedClient()
                let browser = try await one.signedIn()
                for process in [one, two] {
                    #expect(try await process.browser().get(process.authorize(wiki, state: "s")).status == 400)
                }
                try await one.add(wiki)
                var tokens: [String] = []
                for process in [one, two] {
                    #expect(try await process.browser().get(process.authorize(wiki, state: "s")).status == 303)
                    tokens.append(try await browser.token(for: wiki, of: process, state: "\(process.port)"))
                }
                #expect(try await two.redeem(tokens[0], as: wiki).status == 200)

                try await one.make(EnableClient("wiki", false, one.registrar))
                for process in [one, two] {
                    let refused = try await process.redeem(tokens[1], as: wiki)
                    #expect(refused.status == 401 && refused.text.contains("invalid_signature"))
                    #expect(try await process.browser().get(process.authorize(wiki, state: "s")).status == 400)
                    #expect(try await browser.get(process.authorize(wiki, state: "s")).status == 400)
                }
                try await one.make(EnableClient("wiki", true, one.registrar))
                #expect(try await two.redeem(tokens[1], as: wiki).status == 401, "it ended with the client")

                var moved = wiki
                moved.origin = "http://127.0.0.9:4200"
                try await one.make(
                    SetClient("wiki", ["redirect_uris": .list([moved.callback])], logo: nil, one.registrar))
                for process in [one, two] {
                    #expect(try await browser.get(process.authorize(wiki, state: "t")).status == 400)
                    #expect(try await browser.token(for: moved, of: process, state: "t").hasPrefix("sst_"))
                }

                #expect(try await one.refusal(of: RemoveClient("wiki", one.registrar))?.contains("disable") == true)
                try await one.make(EnableClient("wiki", false, one.registrar))
                try await one.make(RemoveClient("wiki", one.registrar))
                #expect(try await one.rows(of: "client_secret") == 0)
                let events = try await one.auditRows(.clientChanged).map(\.detail)
                #expect(
                    events == ["added", "disabled", "enabled", "set redirect_uris", "disabled", "removed"])
                #expect(try await one.auditRows(.tokenRedeemed).count == 1, "its rows stay")
            }
        }
    }

    @Test("a client that a command has disabled gets no browser back, also not with a hint that nobody can read")
    func hinted() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let wiki = AddedClient()
            try await deployment.add(wiki, ["protocols": .list(["oidc"])])
            let asked = deployment.oidcRequest(
                deployment.client,
                ["client_id": wiki.id, "redirect_uri": wiki.callback, "prompt": "none", "id_token_hint": "x"])
            let before = try await deployment.browser().get(asked)
            #expect(try before.location().query("error") == "login_required")
            try await deployment.make(EnableClient("wiki", false, deployment.registrar))
            #expect(try await deployment.browser().get(asked).status == 400)
        }
    }

    @Test("a start logs the fingerprint of each client of the database, as of those of the file, and no secret")
    func fingerprintsAtStart() async throws {
        try await TestDeployment.open { deployment in
            let wiki = AddedClient()
            try await deployment.add(wiki)
            try await StoredRegistry(deployment.idp.settings, deployment.database).checkStart(
                deployment.log.logger("idp"))
            let lines = deployment.log.text.split(separator: "\n").filter { $0.contains("client wiki") }
            #expect(lines.count == 1, "\(lines)")
            let line = try #require(lines.first)
            #expect(line.hasPrefix("notice setting ") && line.contains("fingerprints \(wiki.fingerprint)"), "\(line)")
            #expect(!deployment.log.contains(wiki.secret))
        }
    }

    @Test("a start without declared proxies warns of an enabled client of the database behind the gate, and goes on")
    func gateWithoutProxies() async throws {
        try await TestDeployment.open { deployment in
            let words = "IDP_TRUSTED_PROXIES: is not set, and the client wiki is behind the gate"
            func start() async throws -> String {
                let log = CapturedLog()
                try await StoredRegistry(deployment.idp.settings, deployment.database).checkStart(log.logger("idp"))
                return log.text
            }
            try await deployment.add(
                AddedClient(), ["protocols": .list(["gate"]), "gate_origin": .text("https://wiki.example.com")])
            #expect(try await start().contains(words))
            try await deployment.make(EnableClient("wiki", false, deployment.registrar))
            #expect(try await !start().contains("IDP_TRUSTED_PROXIES"))
        }
    }

    @Test("a client of the database that contradicts one of the settings names the setting at fault")
    func settingAtFault() async throws {
        try await TestDeployment.open { deployment in
            let wiki = AddedClient()
            try await deployment.add(wiki)
            let all = try await deployment.database.read { try ClientStore().all($0) }
            let stored = try #require(all.first)
            let secret = try SharedSecret.parse(wiki.secret, setting: "S")
            func setting(_ id: String, _ secrets: [SharedSecret], _ origin: ClientOrigin) -> String? {
                var client = Client(id: id, name: "N", redirectURIs: [], secrets: secrets)
                client.origin = origin
                return ClientDirectory.conflict(of: stored, with: ClientRegistry([client]))?.setting
            }
            let file = ClientOrigin.file(path: "clients.yaml", line: 2, secretLines: [5], isFixed: false)
            #expect(setting("wiki", [], .environment) == "SSO_CLIENT_ID")
            #expect(setting("other", [secret], .environment) == "SSO_SHARED_SECRET")
            #expect(setting("wiki", [], file) == "IDP_CLIENTS_FILE")
            #expect(setting("other", [secret], file) == "IDP_CLIENTS_FILE")
            #expect(setting("other", [], file) == nil)
        }
    }

    @Test("a change that changes nothing writes nothing")
    func nothing() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.add(AddedClient())
            let rows = try await deployment.auditRows().count
            #expect(try await !deployment.make(EnableClient("wiki", true, deployment.registrar)).isChanged)
            #expect(
                try await !deployment.make(SetClient("wiki", ["name": .text("Wiki")], logo: nil, deployment.registrar))
                    .isChanged)
            #expect(try await !deployment.make(CancelRotation("wiki", deployment.registrar)).isChanged)
            #expect(try await !deployment.make(RetireSecret("wiki", isForced: true, deployment.registrar)).isChanged)
            #expect(try await deployment.auditRows().count == rows)
        }
    }

    @Test("an id or a secret in both places is refused from either side")
    func both() async throws {
        try await TestDeployment.open { deployment in
            let file = deployment.client
            let sameID = try deployment.addition(AddedClient(file.id))
            #expect(try await deployment.refusal(of: sameID)?.contains("clients.yaml:2") == true)
            let sameSecret = try deployment.addition(AddedClient("wiki", secret: file.secret))
            #expect(
                try await deployment.refusal(of: sameSecret)?.contains("the client \(file.id) has the same") == true)
            let wiki = AddedClient()
            try await deployment.add(wiki)
            let again = try deployment.addition(AddedClient("other", secret: wiki.secret))
            #expect(try await deployment.refusal(of: again)?.contains("the client wiki has the same secret") == true)
            #expect(
                try await deployment.refusal(
                    of: SetClient(file.id, ["name": .text("N")], logo: nil, deployment.registrar))?
                    .contains("which no command changes") == true)

            let log = CapturedLog()
            func reading(_ id: String, _ secret: String) throws -> Client {
                Client(
                    id: id, name: "N", redirectURIs: ["https://rp.example/cb"],
                    secrets: [try SharedSecret.parse(secret, setting: "S")])
            }
            for conflicting in [try reading("wiki", TestSecret.new()), try reading("third", wiki.secret)] {
                let directory = ClientDirectory(
                    ClientSource(ClientRegistry([])) {
                        .init(clients: ClientRegistry([conflicting]), problems: [], warnings: [])
                    },
                    stored: StoredClients(
                        database: deployment.database, keys: deployment.keys,
                        randomness: SystemRandomness(), clock: deployment.clock.clock), logger: log.logger("idp"))
                await directory.read()
                #expect(directory.reload()?.kind == .clientsFileRejected)
                #expect(directory.all.map(\.id) == ["wiki"])
            }
            #expect(log.text.components(separatedBy: "clients_file_rejected").count == 3)
        }
    }

    @Test("wrong input names the option, the rule and an example, and changes nothing")
    func wrong() async throws {
        let uris = (0..<21).map { "https://wiki.example.com/\($0)" }
        let cases: [(values: [String: ClientEntry.Value], words: String)] = [
            (["name": .text("")], "--name: name must not be empty. For example name: Partner service"),
            (["redirect_uris": .list(["ftp://x"])], "--redirect-uri: redirect_uris of \"wiki\": "),
            (["redirect_uris": .list(uris)], "has 21 items. At most 20 are allowed."),
            (["contact": .text("desk")], "--contact: contact of \"wiki\": \"desk\" must be https or mailto"),
            (["start_url": .text("http://wiki.example.com/")], "--start-url: start_url of \"wiki\": "),
            (["logout_uri": .text("http://wiki.example.com/")], "--logout-uri: logout_uri of \"wiki\": "),
            (["sign_out_uris": .list(["wiki"])], "--sign-out-uri: sign_out_uris of \"wiki\": "),
            (["groups": .list(["finance"])], "--everyone: access of \"wiki\": and groups are both given"),
            (["expose_groups": .list(["No Group"])], "--expose-group: expose_groups of \"wiki\": \"No Group\" must be"),
            (["logo": .text("logo.svg")], "--logo: logo of \"wiki\": \"logo.svg\" is not an SVG or PNG file."),
        ]
        try await TestDeployment.open { deployment in
            for (values, words) in cases {
                let refusal = try await deployment.refusal(of: deployment.addition(AddedClient(), values))
                #expect(refusal?.contains(words) == true, "\(values): \(refusal ?? "accepted")")
            }
            #expect(try await deployment.rows(of: "client") == 0)
            #expect(try await deployment.rows(of: "registry_revision") == 0)
        }
    }

    @Test("an entry is read as the one that it was written from, with quotation marks, backslashes and other scripts")
    func entry() throws {
        var entry = ClientEntry(id: "wiki")
        for text in [#"A "quoted" \ name: # {no} [list]"#, "Wiki für Grüße 🦊", "yes", "~", "12"] {
            entry["name"] = .text(text)
            entry["redirect_uris"] = .list(["https://wiki.example.com/?a=\"b\"&c='d'"])
            #expect(ClientEntry(text: entry.text(of: .builtIn)) == entry)
        }
        entry["name"] = .text("Wiki")
        #expect(
            entry.fileText(of: .builtIn) == """
                  - id: "wiki"
                    name: "Wiki"
                    redirect_uris: ["https://wiki.example.com/?a=\\"b\\"&c='d'"]
                    secrets: ["credential:wiki"]
                """)
    }

    @Test("the clients file takes the exported entry of every kind of client, as soon as its secret is there")
    func exported() throws {
        let kinds: [(protocols: [String], further: [String: ClientEntry.Value], hasSecret: Bool)] =
            ClientProtocols.builtIn.all.map { settings in
                let address = "https://wiki.example.com"
                return settings.needsRedirectURIs
                    ? ([settings.id], ["redirect_uris": .list([address + "/cb"])], settings.needsSecret)
                    : ([settings.id], [settings.addressKey: .text(address)], settings.needsSecret)
            } + [
                (
                    ["oidc"], ["public": .text("true"), "redirect_uris": .list(["https://wiki.example.com/cb"])], false
                ),
                (
                    ["sso", "gate"],
                    [
                        "gate_origin": .text("https://wiki.example.com"),
                        "redirect_uris": .list(["https://wiki.example.com/cb"]),
                    ], true
                ),
            ]
        let folder = try TemporaryFolder()
        let secret = try folder.write(TestSecret.new() + "\n", to: "secret")
        for kind in kinds {
            var entry = ClientEntry(id: "wiki")
            entry["name"] = .text("Wiki")
            entry["access"] = .text("everyone")
            entry["protocols"] = .list(kind.protocols)
            for (key, value) in kind.further { entry[key] = value }
            let text = entry.fileText(of: .builtIn).replacing("credential:wiki", with: "file:\(secret)")
            let read = try ClientsFixture("clients:\n\(text)\n", of: .builtIn, in: folder)
            #expect(read.problems.isEmpty && read.clients.count == 1, "\(text)\n\(read.problems)")
            #expect(text.contains("secrets") == kind.hasSecret, "\(text)")
        }
    }

    @Test("no more than 500 clients")
    func limit() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.database.write { connection in
                for number in 1..<ClientLimits.clients {
                    try ClientStore().insert(
                        ClientEntry(id: "c\(number)"), of: .builtIn, id: "c\(number)", logo: nil,
                        at: deployment.clock.now, connection)
                }
            }
            let refusal = try await deployment.refusal(of: deployment.addition(AddedClient()))
            #expect(refusal?.contains("there are 500 clients already") == true)
        }
    }

    @Test("a logo of the database is served by a process that has not read it yet")
    func logo() async throws {
        let svg = Array("<svg xmlns='http://www.w3.org/2000/svg'></svg>".utf8)
        try await TestDeployment.open { one in
            try await one.withSecondIdP { two in
                try await one.add(AddedClient(), ["logo": .text("wiki.svg")], logo: svg)
                let logo = try LogoFile(svg, name: "wiki.svg")
                let path = "/assets/client-wiki-\(logo.hash).svg"
                #expect(try await two.browser().get(two.origin + path).status == 200)
                #expect(try await two.browser().get(two.origin + "/assets/client-wiki-0.svg").status == 404)
            }
        }
    }
}
