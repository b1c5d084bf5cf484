import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("Commands that are mistyped, or about what there is not", .deployment)
struct MistypedCommandTests {
    /// The arguments, the exit code, and what is said on standard error. They run one after the other.
    private static let rows: [(arguments: String, code: Int32, words: String)] = [
        ("user list --search zzz", 0, "no users."), ("group list", 0, "no groups."),
        ("client list --json", 0, "in the clients file of the running IdP, which this command has not read: partner-1"),
        ("client list", 0, "no clients in the database."),
        ("client rotate wiki", 78, "IDP_SECRET_KEY: is required and not set. Use the key of the running IdP"),
        ("sign-outs list", 0, "no messages."), ("audit --event user_erased", 0, "no rows."),
        ("audit --client nope", 0, "there is no client nope. idp client list has all."),
        ("audit --user usr_nope", 0, "there is no account with the id usr_nope."),
        ("group add staff", 0, ""), ("group add finance --json", 0, ""), ("group join staff ann@example.com", 0, ""),
        ("group join staff an@example.com", 1, "Did you mean ann@example.com?"),
        ("group join staf ann@example.com", 1, "there is no group staf. Did you mean staff?"),
        ("group leave nope ann@example.com", 1, "there is no group nope. See idp group list"),
        ("group show finanse", 1, "Did you mean finance?"), ("group remove staf", 1, "Did you mean staff?"),
        ("group remove staff", 1, "1 member loses the group staff. To remove it: idp group remove staff --force"),
        ("user list --group staf", 1, "there is no group staf. Did you mean staff?"),
        ("user list --state aktive", 64, "Did you mean active?"),
        (
            "user show an@example.com", 1,
            "there is no account with the address an@example.com. Did you mean ann@example.com?"
        ),
        ("user show ann@exmaple.com", 1, "Did you mean ann@example.com?"),
        ("user sessions ann@example.org", 1, "there is no account with the address ann@example.org"),
        ("user disable annn@example.com", 1, "Did you mean ann@example.com?"),
        ("user end-session ann@example.com ses_nope", 1, "ann@example.com has no session ses_nope."),
        ("user erase nobody@elsewhere.org --now", 1, "idp user list --search TEXT finds accounts."),
        ("client show wiki", 1, "there is no client wiki."),
        ("client set prtner-1 --name X", 1, "Did you mean partner-1?"),
        ("client disable partner-1", 1, "the client partner-1 is in the clients file of the running IdP"),
        ("client show partner-1", 1, "in the clients file of the running IdP, and this command has not read it."),
        ("client app-key list wiki", 1, "there is no client wiki. idp client list has all."),
        ("client app-key list partner-1", 0, "no keys."),
        ("client app-key end wiki key_nope", 1, "there is no client wiki. idp client list has all."),
        (
            "client app-key end partner-1 key_nope", 1,
            "the client partner-1 has no key key_nope. idp client app-key list partner-1 has all."
        ),
        ("help nosuch", 64, "\"nosuch\" is not a command of idp. Its commands are "),
        ("client set wiki --unset contct", 64, "Did you mean contact?"),
        ("sign-outs list --user an@example.com", 1, "Did you mean ann@example.com?"),
        ("sign-outs list --client partnr-1", 1, "there is no client partnr-1. Did you mean partner-1?"),
        ("sign-outs retry --client nope", 1, "there is no client nope."),
        ("audit --since 2026-11-27 --until 2026-11-26", 64, "--until is before --since"),
        ("audit --event sign_in", 64, "Did you mean signed_in?"),
        ("trace nope", 1, "\"Page not found\" are in the log alone: search it for reference=nope"),
        ("user delete ann@example.com", 64, "idp user erase?"),
        ("user add bob@example.com", 64, "Did you mean: idp user invite?"), ("help usr", 64, "Did you mean user?"),
        ("client set wiki --redirect-uris https://a.example/", 64, "Unknown option --redirect-uris."),
        ("user --json list", 64, "idp user list --json"), ("keys rotate now", 64, "Did you mean --now?"),
        ("check --conect", 64, "Did you mean --connect?"), ("user list --limit x", 64, "--limit <count>"),
    ]

    @Test("each ends with its code, and names what is wrong and the way out")
    func all() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            _ = try await Browser().signIn(at: pair.client, of: pair, as: "ann@example.com")
            for row in Self.rows {
                let program = try await pair.idp(
                    row.arguments.split(separator: " ").map(String.init), endsWith: row.code)
                #expect(row.words.isEmpty || program.log.contains(row.words), "\(row.arguments): \(program.log)")
                if row.code != 0 { #expect(program.printed.isEmpty, "\(row.arguments): \(program.printed)") }
                if row.code == 64 {
                    #expect(
                        program.log.contains("Usage: idp ") && program.log.contains("--help' for more"),
                        "\(program.log)")
                }
            }
            #expect(try await pair.idp(["user", "list", "--search", "zzz", "--json"]).printed == "[]\n")
        }
    }

    @Test("an empty name of a file, as an unset variable of a script leaves it, is wrong usage")
    func emptyFile() async throws {
        let rows = [
            ["backup", ""], ["backup", "--verify", ""], ["restore", ""], ["user", "import", ""],
            ["user", "export", "ann@example.com", ""], ["audit", "export", ""], ["user", "list", "--env-file", ""],
            ["init", "--env-file", ""], ["user", "disable", "ann@example.com", "--idp-database-url", ""],
        ]
        for arguments in rows {
            let program = ProgramProcess("idp", arguments, folder: try TemporaryFolder())
            #expect(try await program.run() == .code(64), "\(arguments): \(program.output)")
            let words =
                switch arguments[0] {
                case "audit": "must end with"
                case "user" where arguments[1] == "disable": "--idp-database-url: is empty."
                default: "The name of the file is empty."
                }
            #expect(program.log.contains(words), "\(arguments): \(program.log)")
        }
    }

    @Test("output that cannot be written is a failure that says so, except of a pipe that nobody reads")
    func lostOutput() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let settings = pair.idp.settings
            func run(_ words: String, into outlet: String) async throws -> (ChildProcess.Exit, String) {
                let folder = try TemporaryFolder()
                let shell = "\(Programs.path(of: "idp")) \(words) \(outlet)"
                let errors = folder.path(of: "errors")
                let child = try ChildProcess(
                    "/bin/bash", ["-c", "trap '' PIPE; set -o pipefail; \(shell)"], environment: settings,
                    folder: folder.path,
                    standardOutput: folder.path(of: "output"), standardError: errors)
                return (try await child.waitForExit(), try String(contentsOfFile: errors, encoding: .utf8))
            }
            let add = "client add wiki --name Wiki --redirect-uri https://wiki.example.com/cb --everyone"
            for words in [add, "client list --json", "user list", "audit", "check", "--help"] {
                let (exit, errors) = try await run(words, into: ">/dev/full")
                #expect(exit == .code(1), "\(words): \(errors)")
                #expect(errors.contains("idp: the output could not be written: No space left on device."), "\(errors)")
            }
            #expect(try await pair.idp(["client", "list"]).printed.contains("wiki"))
            for words in ["client list --json", "--help", "client show wiki"] {
                let (exit, errors) = try await run(words, into: "| true")
                #expect(exit == .code(0) && !errors.contains("could not be written"), "\(words): \(errors)")
            }
        }
    }

    @Test("an unknown client or group is a warning at once, and what was asked is done")
    func warnings() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            try await pair.idp(["group", "add", "staff"])
            let invited = try await pair.idp(
                ["user", "invite", "guest@elsewhere.org", "--client", "wikki"], settings: key)
            #expect(invited.printed.hasPrefix("Invited guest@elsewhere.org"))
            #expect(invited.log.contains("idp: warning: --client: there is no client wikki."), "\(invited.log)")
            let added = try await pair.idp(
                [
                    "client", "add", "wiki", "--name", "Wiki", "--redirect-uri", "https://wiki.example.com/cb",
                    "--group",
                    "staf",
                ], settings: key)
            #expect(added.printed.hasPrefix("Added wiki (Wiki)."))
            #expect(
                added.log.contains(
                    "idp: warning: the client wiki lets in the group staf, which nobody has made, so it has no members. Did you mean staff?"
                ), "\(added.log)")
        }
    }

    private static func text(_ value: Any?) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: [value ?? ""], options: [.sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    @Test(
        "a user's data is one file that is never overwritten, with a row in the audit log, and what users download is the same"
    )
    func export() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            let home = try await browser.get(pair.origin + "/")
            let downloaded = try await browser.submit(home.page().form(to: "/data"), on: home)
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            let folder = try TemporaryFolder()
            let path = folder.path(of: "ann.json")
            let done = try await pair.idp(["user", "export", "ann@example.com", path], settings: key).printed
            #expect(done.hasPrefix("Exported ann@example.com (usr_") && done.contains(" into \(path), with "))
            let data = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
            let parts = try #require(data as? [String: Any])
            #expect(parts.keys.sorted() == ["account", "audit", "exported_at", "picture", "sign_outs"])
            let account = try #require(parts["account"] as? [String: Any])
            #expect(account["address"] as? String == "ann@example.com" && account["sessions"] != nil)
            let rows = try #require(parts["audit"] as? [[String: Any]])
            #expect(
                rows.contains { $0["event"] as? String == "signed_in" && $0["user"] as? String == "ann@example.com" })
            #expect(rows.contains { $0["event"] as? String == "mail_queued" })
            let own = try JSONSerialization.jsonObject(with: Data(downloaded.text.utf8)) as? [String: Any] ?? [:]
            #expect(own.keys.sorted() == parts.keys.sorted())
            let ownAccount = own["account"] as? [String: Any] ?? [:]
            #expect(ownAccount.keys.sorted() == account.keys.sorted())
            for key in account.keys where key != "sessions" {
                #expect(try Self.text(ownAccount[key]) == Self.text(account[key]), "\(key)")
            }
            // What has happened since the download follows.
            let ownRows = own["audit"] as? [[String: Any]] ?? []
            #expect(try !ownRows.isEmpty && Self.text(ownRows) == Self.text(Array(rows.prefix(ownRows.count))))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try await pair.idp(["user", "export", "ann@example.com", path], settings: key, endsWith: 1)
            #expect(again.log.contains("\(path) cannot be made"))
            #expect(
                try await pair.idp(["audit", "--event", "audit_exported"]).printed.contains(
                    "data of the user into ann.json"))
        }
    }
}
