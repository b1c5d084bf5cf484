import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The group commands beside a running IdP", .deployment)
struct GroupCommandTests {
    /// Writes a clients file in which the second client lets in `finance` only, and is told of it.
    private static func restrict(_ pair: ProcessDeployment) throws -> String {
        var file = pair.folder.text(of: "clients.yaml")
        let last = try #require(file.range(of: "access: everyone", options: .backwards))
        file.replaceSubrange(last, with: "groups: [finance]\n    expose_groups: [finance]")
        return try pair.folder.write(file, to: "clients.yaml")
    }

    @Test("a user enters from the moment that join has answered, and not from the moment that leave has")
    func changes() async throws {
        try await ProcessDeployment.running(try ProcessDeployment(clients: 2, idps: 2)) { pair in
            let file = ["IDP_CLIENTS_FILE": try Self.restrict(pair)]
            for (index, process) in pair.idps.enumerated() {
                process.send(SIGHUP)
                try await eventually("process \(index) has the list, and says that nobody has made the group") {
                    process.log.contains("lets in the group finance, which nobody has made") ? () : nil
                }
            }
            let ann = Browser()
            _ = try await ann.signIn(at: pair.clients[0], of: pair, as: "ann@example.com")
            #expect(try await ann.get(pair.authorize(pair.clients[1], state: "before")).status == 403)

            try await pair.idp(["group", "add", "finance"])
            #expect(
                try await pair.idp(["group", "join", "finance", "ANN@example.com"]).printed
                    == "Added to finance: ann@example.com.\n")
            for index in 0...1 {
                let token = try await ann.twin(routes: pair.routes(to: index))
                    .token(for: pair.clients[1], of: pair, state: "in-\(index)")
                let reply = try await pair.verify(token, as: pair.clients[1])
                #expect(reply.status == 200 && reply.text.contains(#""groups":["finance"]"#))
            }
            let token = try await ann.token(for: pair.clients[1], of: pair, state: "late")
            let left = try await pair.idp(["group", "leave", "finance", "ann@example.com", "--json"], settings: file)
            #expect(
                left.printed
                    == #"{"changed":true,"group":"finance","left":["ann@example.com"],"lost":[{"client":"partner-2","users":1}]}"#
                    + "\n")
            #expect(try await pair.verify(token, as: pair.clients[1]).status == 401)
            for index in 0...1 {
                let visit = try await ann.twin(routes: pair.routes(to: index))
                    .get(pair.authorize(pair.clients[1], state: "out-\(index)"))
                #expect(visit.status == 403)
            }
            let audit = try await pair.idp(["audit", "--event", "session_ended", "--json"]).printed
            #expect(audit.contains(#""client":"partner-2""#) && audit.contains(#""cause":"no_access""#))

            let refused = try await pair.idp(["group", "remove", "finance"], settings: file, endsWith: 1)
            #expect(refused.log.contains("the group finance is named by the client partner-2."))
            // Also a command that does not read the file knows what the running IdP has read.
            let unread = try await pair.idp(["group", "remove", "finance"], endsWith: 1)
            #expect(
                unread.log.contains(
                    "is named by the client partner-2 in the clients file of the running IdP. Take it out"),
                "\(unread.log)")
            let show = try await pair.idp(["group", "show", "finance", "--json"]).printed
            #expect(show.contains(#""clients":["partner-2"],"exposed_to":["partner-2"]"#), "\(show)")
            try await pair.idp(["group", "join", "finance", "ann@example.com"])
            let shown = try await pair.idp(["user", "show", "ann@example.com"]).printed
            #expect(shown.contains("group finance") && shown.contains("everyone"), "\(shown)")
        }
    }

    /// The arguments, the exit code, and what is printed. They run one after the other.
    private static let golden: [(arguments: String, code: Int32, printed: String)] = [
        ("list", 0, "GROUP  MEMBERS  CREATED\n"), ("list --json", 0, "[]\n"),
        ("add finance", 0, "Made the group finance. Add users: idp group join finance ADDRESS\n"),
        ("add finance", 0, "There is a group finance already.\n"),
        ("add board --json", 0, #"{"changed":true,"group":"board"}"# + "\n"),
        ("add board --json", 0, #"{"changed":false,"group":"board"}"# + "\n"),
        (
            "join finance bob@example.com ann@example.com --json", 0,
            #"{"changed":true,"group":"finance","joined":["bob@example.com","ann@example.com"]}"# + "\n"
        ),
        ("join finance ann@example.com --json", 0, #"{"changed":false,"group":"finance","joined":[]}"# + "\n"),
        ("join finance ann@example.com", 0, "All of them are in finance already.\n"),
        ("leave finance bob@example.com", 0, "Taken out of finance: bob@example.com.\n"),
        ("leave finance bob@example.com", 0, "None of them is in finance.\n"),
        ("leave board bob@example.com --json", 0, #"{"changed":false,"group":"board","left":[],"lost":[]}"# + "\n"),
        ("remove board --json", 0, #"{"changed":true,"group":"board","members":0}"# + "\n"),
        ("remove finance", 1, "1 member loses the group finance. To remove it: idp group remove finance --force"),
        ("show finanse", 1, "there is no group finanse. Did you mean finance?"),
        ("join finance an@example.com", 1, "Did you mean ann@example.com? Nothing was changed."),
        ("remove board", 1, "there is no group board."), ("show board", 1, "there is no group board."),
        ("join finance x@example.com ann@example.com y@example.com", 1, "the address x@example.com, y@example.com."),
        ("leave finance x@example.com", 1, "the address x@example.com."),
        ("join Finance ann@example.com", 64, "must be the id of a group: at most 63 lower-case letters"),
        ("add -", 64, ""), ("add a_b", 64, "for example finance"), ("join finance", 64, "<addresses>"),
        ("join finance nobody", 64, "is not an email address"), ("list finance", 64, "finance"), ("rename a b", 64, ""),
    ]

    @Test("print text and JSON as documented, and end with the documented code and a reason")
    func output() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            for name in ["ann", "bob"] {
                _ = try await Browser().signIn(at: pair.client, of: pair, as: "\(name)@example.com")
            }
            for row in Self.golden {
                let program = try await pair.idp(
                    ["group"] + row.arguments.split(separator: " ").map(String.init), endsWith: row.code)
                if row.code == 0 {
                    #expect(program.printed == row.printed, "\(row.arguments)")
                } else {
                    #expect(
                        row.printed.isEmpty || program.log.contains(row.printed), "\(row.arguments): \(program.log)")
                    #expect(program.printed.isEmpty)
                }
            }
            let list = try await pair.idp(["group", "list", "--json"]).printed
            let groups = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]]
            #expect(groups?.count == 1 && groups?.first?.keys.sorted() == ["created_at", "id", "member_count"])
            #expect(groups?.first?["member_count"] as? Int == 1)
            let file = try pair.folder.write(
                "clients:\n  - {id: wiki, name: W, redirect_uris: [https://w.example/cb], secrets: [\"env:NOT_HERE\"], groups: [finance]}\n",
                to: "wiki.yaml")
            let show = try await pair.idp(
                ["group", "show", "finance", "--json"], settings: ["IDP_CLIENTS_FILE": file]
            ).printed
            let shown = try JSONSerialization.jsonObject(with: Data(show.utf8)) as? [String: Any]
            #expect(shown?["members"] as? [String] == ["ann@example.com"] && shown?["clients"] as? [String] == ["wiki"])
            #expect(shown?["exposed_to"] as? [String] == [] && shown?["id"] as? String == "finance")
            let text = try await pair.idp(["group", "show", "finance"], settings: ["IDP_CLIENTS_FILE": file]).printed
            #expect(text.hasPrefix("group    finance\ncreated  20") && text.hasSuffix("members  ann@example.com\n"))

            try pair.folder.write("clients:\n  - {id: wiki, group: finance}\n", to: "wiki.yaml")
            let fault = try await pair.idp(
                ["group", "remove", "finance"], settings: ["IDP_CLIENTS_FILE": file], endsWith: 78)
            #expect(fault.log.contains("unknown key \"group\""))
            // A fault of the file keeps nobody in.
            try await pair.idp(["group", "leave", "finance", "ann@example.com"], settings: ["IDP_CLIENTS_FILE": file])
            #expect(try await pair.idp(["group", "--help"]).printed.contains("idp group join finance"))
        }
    }

    @Test("check warns of a client without a rule, and of a group that nobody has made")
    func check() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let keys = "name: W, redirect_uris: [https://w.example/cb], secrets"
            let secrets = [String](repeating: "", count: 2).map { _ in TestSecret.new() }
            let file = try pair.folder.write(
                """
                clients:
                  - {id: wiki, \(keys): ["\(secrets[0])"], groups: [finance]}
                  - {id: news, \(keys): ["\(secrets[1])"]}

                """, to: "two.yaml")
            let settings = pair.idp.settings.merging(["IDP_CLIENTS_FILE": file]) { $1 }
            func warnings() async throws -> String {
                let program = ProgramProcess("idp", ["check"], environment: settings, folder: try TemporaryFolder())
                #expect(try await program.run() == .code(0), "\(program.output)")
                return program.log
            }
            let before = try await warnings()
            #expect(before.contains("two.yaml:3: news has neither access nor groups, so everyone may enter it."))
            #expect(before.contains("the client wiki lets in the group finance, which nobody has made"))
            #expect(before.contains("idp group add finance"))
            try await pair.idp(["group", "add", "finance"])
            #expect(try await !warnings().contains("nobody has made"))
        }
    }
}
