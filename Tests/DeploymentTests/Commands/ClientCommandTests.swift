import Foundation
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The client commands beside a running IdP", .deployment)
struct ClientCommandTests {
    private struct Wiki: TestClient {
        let id = "wiki"
        let name = "Wiki"
        var secret: String
        let origin = "http://127.0.0.9:4100"

        var fingerprint: String { (try? SharedSecret.parse(secret, setting: "S"))?.fingerprint ?? "" }
    }

    private static let add = [
        "client", "add", "wiki", "--name", "Wiki", "--redirect-uri", "http://127.0.0.9:4100/auth/sso/callback",
        "--everyone",
    ]

    private static func key(_ pair: ProcessDeployment) -> [String: String] {
        ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
    }

    private static func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// The text with fingerprints and moments replaced, so that the rest can be compared.
    private static func golden(_ text: String) -> String {
        text.replacing(#/\b[0-9a-f]{8}\b/#, with: "FINGERPRINT")
            .replacing(#/\d{4}-\d\d-\d\dT[0-9:.]+Z/#, with: "MOMENT")
            .replacing(#/[0-9a-f]{64}/#, with: "SECRET")
    }

    private static func verify(_ token: String, as client: Wiki, _ pair: ProcessDeployment) async throws -> ProbeReply {
        let body = VerifyRequest(token: token, redirectURI: nil, codeVerifier: nil).body()
        let port = try #require(URL(string: pair.origin)?.port.map { UInt16($0) })
        return try await HTTPProbe(port: port, authority: "localhost:\(port)").post(
            SSOPath.verify, pair.signed(body, by: client), body: body)
    }

    @Test("every change prints what it did, as text and as JSON, and holds from the next request on")
    func all() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let key = Self.key(pair)
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            let added = try await pair.idp(Self.add, settings: key).printed
            #expect(Self.golden(added) == "Added wiki (Wiki).\nIts new secret, which is shown only now:\nSECRET\n")
            var wiki = Wiki(secret: String(added.split(separator: "\n")[2]))
            let token = try await browser.token(for: wiki, of: pair)
            #expect(try await Self.verify(token, as: wiki, pair).status == 200)

            let shown = try await pair.idp(["client", "show", "wiki", "--json"]).printed
            #expect(
                Self.golden(shown)
                    == #"{"id":"wiki","name":"Wiki","source":"database","enabled":true,"access":"everyone","groups":[],"redirect_uris":["http://127.0.0.9:4100/auth/sso/callback"],"allow_private_http":false,"secrets":[{"fingerprint":"FINGERPRINT","added_at":"MOMENT","last_used_at":"MOMENT","state":"current"}]}"#
                    + "\n")
            #expect(
                Self.golden(try await pair.idp(["client", "list"]).printed) == """
                    ID    NAME  STATE    ACCESS    SOURCE    SECRETS
                    wiki  Wiki  enabled  everyone  database  FINGERPRINT (current, last used MOMENT)

                    """)

            let rotated = try Self.object(
                try await pair.idp(["client", "rotate", "wiki", "--json"], settings: key).printed)
            let old = wiki
            wiki.secret = try #require(rotated["secret"] as? String)
            let secrets = try #require(rotated["secrets"] as? [[String: Any]])
            #expect(secrets.map { $0["state"] as? String } == ["current", "previous"])
            #expect(secrets.map { $0["fingerprint"] as? String } == [wiki.fingerprint, old.fingerprint])
            for (client, status) in [(wiki, nil), (old, "previous")] {
                let token = try await browser.token(for: client, of: pair, state: client.fingerprint)
                let reply = try await Self.verify(token, as: client, pair)
                #expect(reply.status == 200 && reply.header("X-SSO-Key-Status") == status)
            }
            let early = try await pair.idp(["client", "retire", "wiki"], endsWith: 1).log
            #expect(early.contains("(\(old.fingerprint)) was used at ") && early.contains("use --force after a leak"))
            #expect(
                try await pair.idp(["client", "retire", "wiki", "--force"]).printed
                    == "Ended the previous secret of wiki (Wiki).\n")
            #expect(
                try await pair.idp(["client", "retire", "wiki"]).printed
                    == "Nothing to do: wiki (Wiki) has no previous secret to retire.\n")
            let last = try await browser.token(for: wiki, of: pair, state: "last")
            #expect(try await Self.verify(last, as: old, pair).status == 401)
            #expect(try await Self.verify(last, as: wiki, pair).status == 200)

            let narrow = [
                "client", "set", "wiki", "--group", "finance", "--group", "board", "--contact",
                "mailto:desk@example.com",
            ]
            let loss = try await pair.idp(narrow, endsWith: 1).log
            #expect(loss.contains("1 user who is signed in at wiki would lose access."), "\(loss)")
            let narrowed = try await pair.idp(narrow + ["--force"])
            #expect(narrowed.printed == "Changed wiki (Wiki).\n")
            for group in ["finance", "board"] {
                #expect(
                    narrowed.log.contains(
                        "idp: warning: the client wiki lets in the group \(group), which nobody has made"))
            }
            #expect(
                Self.golden(try await pair.idp(["client", "show", "wiki"]).printed) == """
                    id             wiki
                    name           Wiki
                    state          enabled
                    access         finance board
                    source         database
                    redirect_uris  http://127.0.0.9:4100/auth/sso/callback
                    contact        mailto:desk@example.com
                    protocols      sso
                    secrets        FINGERPRINT (current, last used MOMENT)

                    """)
            #expect(
                try await pair.idp(["client", "export", "wiki"]).printed == """
                      - id: "wiki"
                        name: "Wiki"
                        redirect_uris: ["http://127.0.0.9:4100/auth/sso/callback"]
                        groups: ["finance", "board"]
                        contact: "mailto:desk@example.com"
                        secrets: ["credential:wiki"]

                    """)
            let unset = try Self.object(
                try await pair.idp(["client", "set", "wiki", "--everyone", "--unset", "contact", "--json"]).printed)
            #expect(unset["changed"] as? Bool == true && unset["access"] as? String == "everyone")
            let same = try Self.object(try await pair.idp(["client", "set", "wiki", "--everyone", "--json"]).printed)
            #expect(same["changed"] as? Bool == false)

            #expect(
                try await pair.idp(["client", "remove", "wiki"], endsWith: 1).log.contains("idp client disable wiki"))
            #expect(try await pair.idp(["client", "disable", "wiki"]).printed.hasPrefix("Disabled wiki (Wiki): "))
            #expect(try await browser.get(pair.authorize(wiki, state: "late")).status == 400)
            #expect(try await pair.idp(["client", "enable", "wiki"]).printed == "Enabled wiki (Wiki).\n")
            #expect(try await browser.token(for: wiki, of: pair, state: "again").hasPrefix("sst_"))
            _ = try await pair.idp(["client", "disable", "wiki"])
            #expect(try await pair.idp(["client", "remove", "wiki"]).printed == "Removed wiki (Wiki).\n")
            #expect(try await pair.idp(["client", "list", "--json"]).printed == "[]\n")
            for secret in [wiki.secret, old.secret] { #expect(!pair.idp.log.contains(secret)) }
        }
    }

    @Test("a given secret is not printed; the file's clients are listed with file and line and are not changed")
    func file() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let folder = try TemporaryFolder()
            let secret = TestSecret.new()
            let path = try folder.write("  \(secret) \n", to: "secret")
            let added = try await pair.idp(Self.add + ["--secret-file", path], settings: Self.key(pair))
            #expect(added.printed == "Added wiki (Wiki).\n")
            let warning = "idp: warning: --secret-file: white space at the beginning or end was removed"
            #expect(added.log.contains(warning), "\(added.log)")
            let yaml = try folder.write(
                """
                clients:
                  - id: forum
                    name: Forum
                    redirect_uris: [https://forum.example.com/cb]
                    secrets: ["file:\(try folder.write(TestSecret.new(), to: "forum"))"]
                """, to: "clients.yaml")
            let settings = Self.key(pair).merging(["IDP_CLIENTS_FILE": yaml]) { $1 }
            let list = Self.golden(try await pair.idp(["client", "list"], settings: settings).printed)
            let place = Self.golden("\(yaml):2")
            #expect(list.contains("forum  Forum  enabled  everyone  \(place)  FINGERPRINT (current, not used yet)\n"))
            for arguments in [["set", "forum", "--name", "F"], ["disable", "forum"], ["rotate", "forum"]] {
                let refused = try await pair.idp(["client"] + arguments, settings: settings, endsWith: 1).log
                #expect(refused.contains("the client forum is in \(yaml):2, which no command changes."))
                #expect(refused.contains("Edit it there, and send SIGHUP."))
            }
            let ofSettings = Self.key(pair).merging([
                "SSO_CLIENT_ID": "shop", "SSO_REDIRECT_URIS": "https://shop.example.com/cb",
                "SSO_SHARED_SECRET": TestSecret.new(),
            ]) { $1 }
            let kept = try await pair.idp(["client", "disable", "shop"], settings: ofSettings, endsWith: 1).log
            #expect(kept.contains("in SSO_CLIENT_ID, which no command changes. Edit it there, and restart."), "\(kept)")
            let taken = Self.add.map { $0 == "wiki" ? "forum" : $0 }
            #expect(
                try await pair.idp(taken, settings: settings, endsWith: 1).log.contains("registered in \(yaml):2"))
            let other = Self.add.map { $0 == "wiki" ? "other" : $0 } + ["--secret-file", folder.path(of: "forum")]
            #expect(
                try await pair.idp(other, settings: settings, endsWith: 1).log.contains(
                    "the client forum has the same secret"))
            let credential = try folder.write(
                "clients: [{id: forum, name: Forum, redirect_uris: [https://forum.example.com/cb], secrets: [\"credential:forum\"]}]",
                to: "credential.yaml")
            let without = try await pair.idp(["client", "list"], settings: ["IDP_CLIENTS_FILE": credential])
            #expect(without.printed.contains("forum") && without.log.contains("needs $CREDENTIALS_DIRECTORY"))
        }
    }

    @Test("wrong input changes nothing, and names the argument, the rule and an example")
    func wrong() async throws {
        let pair = try ProcessDeployment()
        let add = Self.add
        let cases: [(arguments: [String], words: String)] = [
            (
                Array(add.dropLast()),
                "--everyone or --group is missing: who may enter the client? For example --everyone"
            ),
            (add + ["--group", "finance"], "--everyone and --group are both given."),
            (["client", "add", "wiki", "--everyone"], "--name is missing. For example --name Wiki."),
            (["client", "add", "wiki", "--name", "W", "--everyone"], "--redirect-uri is missing. For example"),
            (["client", "show", "No/Id"], "ID: \"No/Id\" must be at most 128 letters, digits, ., _ and -"),
            (["client", "set", "wiki"], "nothing to set. For example --name Wiki."),
            (
                ["client", "set", "wiki", "--unset", "name"],
                "--unset: \"name\" cannot be removed. It must be one of contact, expose_groups"
            ),
            (["client", "rotate", "wiki", "--after", "1h"], "--after: \"1h\" must be 1d to 90d, for example 7d."),
            (["client", "rotate", "wiki", "--cancel", "--after", "2d"], "--cancel: makes no secret"),
            (["client", "show"], "Missing expected argument"),
        ]
        for (arguments, words) in cases {
            #expect(try await pair.idp(arguments, endsWith: 64).log.contains(words), "\(arguments)")
        }
        #expect(try await pair.idp(add, endsWith: 78).log.contains("IDP_SECRET_KEY: is required and not set."))
        #expect(try await pair.idp(["client", "list"], endsWith: 1).log.contains("there is no database at"))
        for command in ["add", "list", "show", "set", "disable", "enable", "remove", "export", "rotate", "retire"] {
            #expect(try await pair.idp(["client", command, "--help"]).printed.contains("Example"), "\(command)")
        }
        try await ProcessDeployment.running(pair) { pair in
            let uri = try await pair.idp(
                add.map { $0.hasPrefix("http:") ? "ftp://wiki" : $0 }, settings: Self.key(pair), endsWith: 64)
            #expect(uri.log.contains("--redirect-uri: redirect_uris of \"wiki\": \"ftp://wiki\" "))
            #expect(
                try await pair.idp(["client", "disable", "wiki"], endsWith: 1).log.contains("there is no client wiki."))
            #expect(try await pair.idp(["client", "list", "--json"]).printed == "[]\n")
        }
    }

    @Test(
        "another key stops the start until it stands before the one of the database; check counts what needs the old one"
    )
    func removedKey() async throws {
        let pair = try ProcessDeployment()
        try await ProcessDeployment.running(pair) { pair in
            _ = try await pair.idp(Self.add, settings: Self.key(pair))
        }
        var settings = pair.idp.settings
        let old = settings["IDP_SECRET_KEY"] ?? ""
        let new = TestSecret.new()
        settings["IDP_SECRET_KEY"] = "\(new),\(old)"
        let before = try await pair.idp(["check"], settings: settings)
        #expect(before.printed.contains("1, of which 1 need an old key, and 0 no key opens"))
        settings["IDP_SECRET_KEY"] = new
        for (command, code) in [("check", 1), ("serve", 78)] as [(String, Int32)] {
            let refused = try await pair.idp([command], settings: settings, endsWith: code)
            #expect(refused.log.contains("IDP_SECRET_KEY: is not the key of this database"))
        }
        for keys in ["\(new),\(old)", new] {
            pair.idp.set("IDP_SECRET_KEY", to: keys)
            try await pair.idp.start()
            try await pair.idp.terminate()
        }
    }

    @Test(
        "a command with another key than the running IdP seals nothing; forget-keys lets the database take another one")
    func otherKey() async throws {
        let pair = try ProcessDeployment()
        try await ProcessDeployment.running(pair) { pair in
            let own = Self.key(pair)
            let other = ["IDP_SECRET_KEY": TestSecret.new()]
            let backup = pair.folder.path(of: "backup.sqlite")
            let commands = [
                Self.add, ["user", "invite", "ann@example.com"], ["client", "rotate", "wiki"], ["keys", "rotate"],
                ["backup", backup],
            ]
            for words in commands {
                let refused = try await pair.idp(words, settings: other, endsWith: 78)
                #expect(refused.log.contains("use the key of the running IdP: IDP_SECRET_KEY: "), "\(refused.log)")
            }
            #expect(try await pair.idp(["client", "list", "--json"]).printed == "[]\n")
            #expect(try await pair.idp(["user", "list", "--json"]).printed.contains("ann") == false)
            #expect(!FileManager.default.fileExists(atPath: backup))
            for words in [Self.add, ["backup", backup]] { _ = try await pair.idp(words, settings: own) }
            let asked = try await pair.idp(["database", "forget-keys"], settings: other, endsWith: 1)
            #expect(asked.log.contains("1 client secrets of the database would be lost. To go on: --yes"))
            try await pair.idp.terminate()
            let done = try await pair.idp(["database", "forget-keys", "--yes"], settings: other)
            #expect(done.printed == "The database knows the present key. Lost: 1 client secrets.\n")
            #expect(
                try await pair.idp(["database", "forget-keys", "--yes", "--json"], settings: other).printed
                    == "{\"changed\":false}\n")
            pair.idp.set("IDP_SECRET_KEY", to: other["IDP_SECRET_KEY"])
            try await pair.idp.start()
        }
    }
}
