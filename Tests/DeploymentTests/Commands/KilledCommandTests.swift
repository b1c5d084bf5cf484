import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("Commands that are killed", .deployment, .serialized)
struct KilledCommandTests {
    /// The number of kills of each command.
    private static let rounds = TestLength.of(short: 4, nightly: 50)

    /// Starts a command beside the running IdP and kills it at any moment until after its end.
    private static func killed(
        _ arguments: [String], _ pair: ProcessDeployment, settings: [String: String] = [:]
    ) async throws {
        let environment = ["IDP_DATABASE_URL": "sqlite:\(pair.databasePath)"].merging(settings) { $1 }
        let program = ProgramProcess("idp", arguments, environment: environment, folder: try TemporaryFolder())
        try program.launch()
        try await Task.sleep(for: .microseconds(Int.random(in: 0...120_000)))
        program.send(SIGKILL)
        _ = try await program.waitForExit()
    }

    private static func objects(_ text: String) throws -> [[String: Any]] {
        let lines = text.split(separator: "\n")
        return try lines.compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// How many rows of the audit log an event has.
    private static func rows(_ event: String, _ pair: ProcessDeployment) async throws -> Int {
        try objects(try await pair.idp(["audit", "--event", event, "--json"]).printed).count
    }

    @Test(
        "rotate and retire leave a client with one or two secrets, as many as its rows of the audit log say, and its sign-ins go on",
        .timeLimit(.minutes(10)))
    func rotation() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            try await pair.idp(
                [
                    "client", "add", "wiki", "--name", "Wiki", "--redirect-uri", "http://127.0.0.9:4100/cb",
                    "--everyone",
                ],
                settings: key)
            for _ in 1...Self.rounds {
                try await Self.killed(["client", "rotate", "wiki"], pair, settings: key)
                try await Self.killed(["client", "retire", "wiki", "--force"], pair)
                let shown = try await pair.idp(["client", "show", "wiki", "--json"]).printed
                let secrets = try #require(try Self.objects(shown).first?["secrets"] as? [[String: Any]])
                let states = secrets.compactMap { $0["state"] as? String }
                #expect(states == ["current"] || states == ["current", "previous"])
                let added = try await Self.rows("client_secret_added", pair)
                let retired = try await Self.rows("client_secret_retired", pair)
                #expect(added - retired == secrets.count)
            }
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
        }
    }

    @Test(
        "invite leaves no account, or one with its invitation, its row and exactly one email",
        .timeLimit(.minutes(10)))
    func invitation() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            for round in 1...Self.rounds {
                let address = "guest\(round)@partner.example"
                try await Self.killed(["user", "invite", address], pair, settings: key)
                let list = try await pair.idp(["user", "list", "--search", address, "--json"]).printed
                let before = try await Self.rows("user_invited", pair)
                let isThere = list.contains(address)
                // A second call does what the first one has not done, and nothing twice.
                try await pair.idp(["user", "invite", address], settings: key)
                #expect(try await Self.rows("user_invited", pair) == before + (isThere ? 0 : 1))
                try await eventually("the invitation") { pair.mailbox.all(to: address).isEmpty ? nil : () }
                #expect(pair.mailbox.all(to: address).count == 1)
            }
        }
    }

    @Test(
        "import adds all users of the file or none, and erase leaves a user whole or gone", .timeLimit(.minutes(10))
    )
    func importAndErase() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            try await pair.idp(["group", "add", "staff"])
            for round in 1...Self.rounds {
                let addresses = (1...20).map { "user\($0)@round\(round).example" }
                let file = try pair.folder.write(
                    "email,name,groups,until\n" + addresses.map { "\($0),Name,staff,\n" }.joined(), to: "users.csv")
                try await Self.killed(["user", "import", file], pair, settings: key)
                func found() async throws -> Int {
                    let list = try await pair.idp(["user", "list", "--search", "@round\(round).", "--json"]).printed
                    return list.components(separatedBy: #""address""#).count - 1
                }
                let added = try await found()
                #expect(added == 0 || added == addresses.count)
                try await pair.idp(["user", "import", file], settings: key)
                #expect(try await found() == addresses.count)

                let before = try await Self.rows("user_erased", pair)
                try await Self.killed(["user", "erase", addresses[0], "--now"], pair)
                let isErased = try await found() == addresses.count - 1
                #expect(try await Self.rows("user_erased", pair) == before + (isErased ? 1 : 0))
                let members = try await pair.idp(["group", "show", "staff", "--json"]).printed
                #expect(members.contains(addresses[0]) == !isErased)
            }
        }
    }

    @Test("sign-out ends all sessions of a user and tells the clients, or does neither", .timeLimit(.minutes(10)))
    func signOut() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            for round in 1...Self.rounds {
                let (browser, address) = (Browser(), "ann\(round)@example.com")
                _ = try await browser.signIn(at: pair.client, of: pair, as: address)
                let token = try await browser.token(for: pair.client, of: pair)
                #expect(try await pair.verify(token, as: pair.client).status == 200)
                try await Self.killed(["user", "sign-out", address], pair)
                let isIn = try await browser.isSignedIn(at: pair)
                let show = try await pair.idp(["user", "show", address, "--json"]).printed
                #expect(show.contains(#""sessions":[{"id""#) == isIn, "\(show)")
                let ended = try await pair.idp(
                    ["audit", "--event", "session_ended", "--user", address, "--json"]).printed
                #expect(ended.isEmpty == isIn)
            }
        }
    }
}
