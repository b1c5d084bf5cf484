import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The audit commands beside a running IdP", .deployment)
struct AuditCommandTests {
    private static func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test(
        "rows are printed by filter, as text and JSON lines, exported with a row of their own, and name who ran a command"
    )
    func rows() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            for name in ["ann", "bob"] {
                let browser = Browser()
                _ = try await browser.signIn(at: pair.client, of: pair, as: "\(name)@example.com")
                let token = try await browser.token(for: pair.client, of: pair)
                #expect(try await pair.verify(token, as: pair.client).status == 200)
            }
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            // The queue writes the end of an email a moment after it has left.
            let all = try await eventually("both emails have left") {
                let rows = try Self.objects(try await pair.idp(["audit", "--json"]).printed)
                return rows.count { $0["event"] as? String == "mail_sent" } == 2 ? rows : nil
            }
            #expect(all.count { $0["event"] as? String == "token_redeemed" } == 2)
            for name in ["time", "event", "actor", "account", "client", "flow", "reference", "cause"] {
                #expect(all.allSatisfy { $0[name] != nil }, "\(name)")
            }
            let anns = try Self.objects(
                try await pair.idp(["audit", "--user", "Ann@example.com", "--json", "--since", "1h"], settings: key)
                    .printed)
            #expect(
                anns.compactMap { $0["event"] as? String }.filter { $0 != "mail_sent" } == [
                    "mail_queued", "signed_in", "token_issued", "token_issued", "token_redeemed",
                ])
            let redeemed = try await pair.idp(["audit", "--user", "ann@example.com", "--event", "token_redeemed"])
                .printed
            #expect(redeemed.split(separator: "\n").count == 1 && redeemed.contains(" token_redeemed actor=client:"))
            #expect(try await pair.idp(["audit", "--until", "2020-01-01"]).printed.isEmpty)

            try await pair.idp(["user", "disable", "bob@example.com"], settings: ["SUDO_USER": "carol"])
            let again = try await pair.idp(["user", "disable", "bob@example.com", "--json"]).printed
            #expect(again.hasPrefix(#"{"changed":false,"#))
            let changes = try Self.objects(try await pair.idp(["audit", "--event", "user_changed", "--json"]).printed)
            #expect(changes.count == 1 && (changes.first?["actor"] as? String)?.hasSuffix(" sudo:carol") == true)

            let folder = try TemporaryFolder()
            for name in ["rows.csv", "rows.jsonl"] {
                let path = folder.path(of: name)
                let printed = try await pair.idp(["audit", "export", path]).printed
                #expect(printed.hasPrefix("Exported ") && printed.contains(path))
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                let taken = try await pair.idp(["audit", "export", path], endsWith: 1)
                #expect(taken.log.contains("\(path) cannot be made"))
            }
            // The account was changed, its sessions ended, and a message to the client waits.
            let whole = all.count + 3
            let csv = try String(contentsOfFile: folder.path(of: "rows.csv"), encoding: .utf8)
            let header =
                "time,event,actor,account,user,client,session,flow,reference,network,cause,detail,address,count,address_id"
            #expect(csv.hasPrefix(header + "\r\n"))
            #expect(csv.components(separatedBy: "\r\n").count == whole + 2, "the header and the end")
            #expect(
                try Self.objects(String(contentsOfFile: folder.path(of: "rows.jsonl"), encoding: .utf8)).count
                    == whole + 1)
            let exports = try Self.objects(
                try await pair.idp(["audit", "--event", "audit_exported", "--json"]).printed)
            #expect(exports.count == 2 && exports.first?["detail"] as? String == "\(whole) rows into rows.csv")
        }
    }

    @Test("wrong input names the option, the rule and an example")
    func wrong() async throws {
        let pair = try ProcessDeployment()
        let cases: [(arguments: [String], words: String)] = [
            (["--since", "yesterday"], "--since: \"yesterday\" is not a moment. Use 2026-11-25"),
            (["--until", "1"], "--until: \"1\" is not a moment"),
            (["--event", "login"], "--event: \"login\" is not an event of the audit log. Use one of: "),
            (["--client", "No Client"], "--client: \"No Client\" must be at most 128 letters, digits, ., _ and -"),
            (["--follow", "--until", "1h"], "--follow: has no end"),
            (["--since", "2026-11-27", "--until", "2026-11-26"], "--until is before --since"),
            (["--since", "2026-11-27", "--until", "2026-11-27"], "--until is the same moment as --since"),
            (["--since", "27", "--until", "26"], "--since: \"27\" is not a moment"),
            (["--since", "1d", "--until", "2d"], "--until is before --since"),
            (["--since", "7d", "--until", "7d"], "--until is the same moment as --since"),
            (["--since", "24h", "--until", "1d"], "--until is the same moment as --since"),
            (["--event", "signedin"], "Did you mean signed_in?"),
            (["export", "rows.txt"], "\"rows.txt\" must end with .csv or .jsonl, for example november.csv."),
            (["export"], "Missing expected argument"),
        ]
        for (arguments, words) in cases {
            #expect(try await pair.idp(["audit"] + arguments, endsWith: 64).log.contains(words), "\(arguments)")
        }
        #expect(try await pair.idp(["audit"], endsWith: 1).log.contains("there is no database at"))
        #expect(try await pair.idp(["audit", "--help"]).printed.contains("Example: idp audit --since 24h"))
        #expect(try await pair.idp(["audit", "export", "--help"]).printed.contains("Example: idp audit export"))
    }

    @Test("an address that nobody has is refused without the key, and has no rows with it")
    func unknown() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let refused = try await pair.idp(["audit", "--user", "nobody@example.com"], endsWith: 1)
            #expect(refused.log.contains("there is no account with the address nobody@example.com"))
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            #expect(try await pair.idp(["audit", "--user", "nobody@example.com"], settings: key).printed.isEmpty)
        }
    }
}
