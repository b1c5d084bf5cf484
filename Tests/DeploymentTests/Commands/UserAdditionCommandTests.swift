import Foundation
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

/// What scripts read: the exact text and JSON of the commands that add users and change them.
@Suite("The commands that invite, import, end and erase users", .deployment)
struct UserAdditionCommandTests {
    private static func keys(_ pair: ProcessDeployment) -> [String: String] {
        ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
    }

    /// The output with ids and moments replaced.
    private static func plain(_ text: String) -> String {
        text.replacing(#/usr_[A-Za-z0-9_-]{22}/#, with: "usr_ID")
            .replacing(#/ses_[A-Za-z0-9_-]{22}/#, with: "ses_ID")
            .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#, with: "MOMENT")
    }

    @Test("invite, resend, withdraw: text, JSON, exit codes")
    func invitations() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let keys = Self.keys(pair)
            try await pair.idp(["group", "add", "staff"])
            func run(_ arguments: [String], _ code: Int32 = 0) async throws -> String {
                Self.plain(try await pair.idp(["user"] + arguments, settings: keys, endsWith: code).printed)
            }
            let invite = [
                "invite", "Guest@elsewhere.org", "--group", "staff", "--until", "2099-06-30", "--language", "de",
            ]
            #expect(
                try await run(invite)
                    == "Invited guest@elsewhere.org (usr_ID): the email is queued, and its link works for 7 days.\n")
            #expect(
                try await run(invite)
                    == """
                    guest@elsewhere.org (usr_ID) is invited already: nothing was sent. To send it again: idp user resend guest@elsewhere.org

                    """)
            #expect(
                try await run(invite + ["--json"])
                    == #"""
                    {"changed":false,"address":"guest@elsewhere.org","state":"invited","id":"usr_ID","name":"guest","created_at":"MOMENT","added_at":"MOMENT","until":"2099-06-30","erase_at":null,"language":"de"}

                    """#)
            let link = try await eventually("the invitation") {
                pair.mailbox.all(to: "guest@elsewhere.org").first { $0.text.contains("/invitation/inv_") }
            }
            #expect(link.text.contains("Einladung"))
            #expect(
                try await run(["resend", "guest@elsewhere.org"])
                    == "Invited guest@elsewhere.org (usr_ID) again: the email is queued, and its link works for 7 days.\n"
            )
            #expect(
                try await run(["withdraw", "guest@elsewhere.org"])
                    == "Withdrew the invitation of guest@elsewhere.org (usr_ID).\n")
            #expect(try await run(["withdraw", "guest@elsewhere.org", "--json"]).hasPrefix(#"{"changed":false,"#))
            let again = try await pair.idp(["user", "resend", "guest@elsewhere.org"], settings: keys, endsWith: 1)
            #expect(again.log.contains("idp user invite guest@elsewhere.org"))
        }
    }

    @Test("wrong input names the option, the rule and an example; a missing key is a wrong setting")
    func wrong() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let keys = Self.keys(pair)
            let rows: [([String], Int32, String)] = [
                (["invite", "guest"], 64, "Use one such as ann@example.com"),
                (["invite", "g@example.org", "--until", "30.6.2099"], 64, "--until: \"30.6.2099\" is not a day"),
                (["invite", "g@example.org", "--until", "2001-01-01"], 1, "2001-01-01 is in the past"),
                (["invite", "g@example.org", "--language", "fr"], 64, "fr"),
                (["invite", "g@example.org", "--client", "Wi ki"], 64, "--client: \"Wi ki\" must be"),
                (["invite", "g@example.org", "--group", "nobody"], 1, "idp group add nobody"),
                (["set-end", "g@example.org", "tomorrow"], 64, "2027-06-30"),
                (["set-end", "g@example.org", "2099-01-01"], 1, "no account with the address g@example.org"),
                (["set-address", "g@example.org", "nonsense"], 64, "is not an email address"),
                (["set-address", "g@example.org", "h@example.org"], 1, "no account"),
                (["erase", "g@example.org", "--now", "--cancel"], 64, "leave one of them out"),
                (["erase", "g@example.org"], 1, "no account"),
                (["resend", "g@example.org"], 1, "no account"), (["withdraw", "g@example.org"], 1, "no account"),
                (["list", "--limit", "1001"], 64, "from 1 to 1000"), (["list", "--state", "gone"], 64, "gone"),
                (["import", "missing.csv"], 1, "missing.csv cannot be read"),
                (["import", "x.csv", "--disable-at-most", "3"], 64, "only with --sync"),
                (["import", "x.csv", "--client", "wiki"], 64, "only with --invite"),
            ]
            for (arguments, code, part) in rows {
                let program = try await pair.idp(["user"] + arguments, settings: keys, endsWith: code)
                #expect(program.log.contains(part), "\(arguments): \(program.log)")
            }
            for command in [["invite", "g@example.org"], ["resend", "g@example.org"]] {
                let program = try await pair.idp(["user"] + command, endsWith: 78)
                #expect(program.log.contains("IDP_SECRET_KEY"))
            }
            #expect(try await pair.idp(["user", "list", "--json"]).printed == "[]\n")
        }
    }

    @Test("import prints its plan, then does it, then has nothing to do; faults are listed with their lines")
    func importing() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let folder = try TemporaryFolder()
            try await pair.idp(["group", "add", "staff"])
            let file = try folder.write(
                "email,name,groups,until\r\nann@elsewhere.org,Ann,staff,2099-06-30\r\nbob@elsewhere.org,,,\r\n",
                to: "users.csv")
            let lines = "+ ann@elsewhere.org  +staff, until 2099-06-30\n+ bob@elsewhere.org\n"
            let counts = "2 added, 0 updated, 0 disabled, 0 invited, 0 unchanged."
            #expect(
                try await pair.idp(["user", "import", file, "--dry-run"]).printed
                    == "\(lines)Would be: \(counts) Nothing was changed.\n")
            #expect(try await pair.idp(["user", "list", "--json"]).printed == "[]\n")
            #expect(try await pair.idp(["user", "import", file]).printed == "\(lines)\(counts)\n")
            #expect(
                try await pair.idp(["user", "import", file, "--json"]).printed
                    == #"""
                    {"changed":false,"dry_run":false,"added":[],"updated":[],"disabled":[],"invited":[],"unchanged":2,"still_disabled":[]}

                    """#)
            let list = Self.plain(try await pair.idp(["user", "list", "--group", "staff"]).printed)
            #expect(list.contains("ann@elsewhere.org  added  usr_ID") && !list.contains("bob@"))
            let page = try await pair.idp(["user", "list", "--limit", "1", "--search", "ELSEWHERE"])
            #expect(page.printed.contains("ann@") && page.log.contains("--after ann@elsewhere.org"))
            let next = try await pair.idp(["user", "list", "--after", "ann@elsewhere.org", "--state", "added"])
            #expect(next.printed.contains("bob@") && !next.printed.contains("ann@"))

            let broken = try folder.write("email\nann\nbob@elsewhere.org\nbob@elsewhere.org\n", to: "broken.csv")
            let faults = try await pair.idp(["user", "import", broken, "--json"], endsWith: 1)
            #expect(faults.printed.hasPrefix(#"{"changed":false,"faults":[{"line":2,"message":"email: \"ann\""#))
            #expect(faults.log.contains("line 4: email: bob@elsewhere.org appears in line 3 already"))
            #expect(faults.log.contains("2 faults. Nothing was changed."))

            // What is refused is shown by a dry run, which ends as the run does.
            let head = ["user", "import", try folder.write("email\n", to: "head.csv"), "--sync"]
            let shown = try await pair.idp(head + ["--dry-run"], endsWith: 1)
            #expect(
                shown.printed == """
                    - ann@elsewhere.org  disabled
                    - bob@elsewhere.org  disabled
                    Would be: 0 added, 0 updated, 2 disabled, 0 invited, 0 unchanged. Nothing was changed.

                    """)
            #expect(shown.log.contains("--sync would disable 2 of 2 imported users, which is all."), "\(shown.log)")
            let json = try await pair.idp(head + ["--dry-run", "--json"], endsWith: 1).printed
            #expect(json.contains(#""disabled":["ann@elsewhere.org","bob@elsewhere.org"]"#), "\(json)")
            #expect(try await pair.idp(head, endsWith: 1).printed.isEmpty)
        }
    }

    @Test("show, set-end, set-address and erase: text and JSON")
    func changes() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let ann = Browser()
            _ = try await ann.signIn(at: pair.client, of: pair, as: "ann@example.com")
            let token = try await ann.token(for: pair.client, of: pair)
            #expect(try await pair.verify(token, as: pair.client).status == 200)
            func run(_ arguments: String...) async throws -> String {
                Self.plain(try await pair.idp(["user"] + arguments).printed)
            }
            let show = try await run("show", "ann@example.com", "--json")
            #expect(
                show.replacing(#/"device":"[^"]*","network":"[^"]*"/#, with: "PLACE") == #"""
                    {"address":"ann@example.com","state":"active","id":"usr_ID","name":"ann","created_at":"MOMENT","added_at":null,"until":null,"erase_at":null,"language":"en","username":"ann","address_ids":[],"groups":[],"invitation":null,"identities":[{"kind":"email","provider":null,"email":"ann@example.com","added_at":"MOMENT","used_at":null}],"clients":[{"id":"\#(pair.client.id)","entered_at":"MOMENT","signed_out_at":null,"cause":null}],"may_enter":[{"id":"\#(pair.client.id)","name":"Partner number 1","because":"everyone"}],"sessions":[{"id":"ses_ID","kind":"browser",PLACE,"created_at":"MOMENT","last_used_at":"MOMENT","clients":[{"id":"\#(pair.client.id)","session":"ses_ID","last_used_at":"MOMENT"}]}]}

                    """#)
            let text = try await run("show", "ann@example.com")
            #expect(text.contains("SIGNS IN WITH  ADDRESS") && text.contains("\(pair.client.id)"))
            #expect(text.contains("SESSION ") && text.contains("ses_ID"))
            #expect(
                try await run("set-end", "ann@example.com", "2099-12-31")
                    == "ann@example.com (usr_ID) may sign in until the end of 2099-12-31 (UTC).\n")
            #expect(
                try await run("set-end", "ann@example.com", "2099-12-31")
                    == "ann@example.com (usr_ID) may sign in until the end of 2099-12-31 (UTC), as before.\n")
            #expect(
                try await run("set-end", "ann@example.com", "never", "--json").hasPrefix(
                    #"{"changed":true,"address":"ann@example.com","state":"active","#))
            #expect(
                try await run("set-address", "ann@example.com", "miller@example.com")
                    == "miller@example.com (usr_ID) has the new address, and was signed out. It may sign in if IDP_ALLOWED_EMAILS names that address.\n"
            )
            #expect(try await !ann.isSignedIn(at: pair))
            for address in ["ann@example.com", "miller@example.com"] {
                _ = try await eventually("a notice to \(address)") {
                    pair.mailbox.all(to: address).first {
                        $0.text.decodingQuotedPrintable().contains("miller@example.com") && $0.code == nil
                    }
                }
            }
            #expect(
                try await run("erase", "miller@example.com")
                    == "miller@example.com (usr_ID) is disabled and will be erased at MOMENT. Until then it can be kept with --cancel.\n"
            )
            #expect(try await run("erase", "miller@example.com", "--json").contains(#""state":"disabled""#))
            #expect(
                try await run("erase", "miller@example.com", "--cancel")
                    == "Kept miller@example.com (usr_ID): the account is as it was before, and signed out.\n")
            #expect(try await run("erase", "miller@example.com", "--now") == "Erased miller@example.com (usr_ID).\n")
            try await pair.idp(["user", "show", "miller@example.com"], endsWith: 1)
        }
    }

    @Test("every command has --json and --help with an example")
    func help() async throws {
        let pair = try ProcessDeployment()
        for command in [
            "list", "show", "invite", "resend", "withdraw", "import", "disable", "enable", "sign-out", "set-address",
            "set-end", "erase", "export",
        ] {
            let help = try await pair.idp(["user", command, "--help"]).printed
            let example = try #require(help.components(separatedBy: "Example:").dropFirst().first)
            #expect(example.drop(while: \.isWhitespace).hasPrefix("idp user \(command)") && help.contains("--json"))
        }
    }
}
