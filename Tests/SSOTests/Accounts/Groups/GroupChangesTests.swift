import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdP
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPSchema
@testable import IdPTestKit
@testable import SQLiteStorage
@testable import TestKit
@testable import WebTestKit

@Suite("Changes of groups", .program)
struct GroupChangesTests {
    /// The changes on a database of its own, with accounts `a0@example.com`, `a1@example.com`, …
    private struct Scene: Sendable {
        let database: any Database
        let changes: OperatorChanges
        let clock = TestClock()

        func make<Change: OperatorChange>(_ change: Change) async throws -> Changed<Change.Result> {
            try await changes.make(change)
        }

        func refusal(of change: some OperatorChange) async throws -> String {
            do {
                _ = try await changes.make(change)
                return ""
            } catch let refusal as ChangeError {
                return refusal.description
            }
        }

        func members(of group: String) async throws -> [String] {
            try await database.read { try GroupStore.members(of: group, $0) }
        }

        /// Event, cause, detail and account of each row of the audit log, the oldest first.
        func audit() async throws -> [String] {
            try await AuditStore(database: database, clock: clock.clock, randomness: SystemRandomness())
                .page(AuditSearch())
                .map { row in
                    [row.event, row.cause, row.detail, row.client, row.account].compactMap(\.self)
                        .joined(separator: " ")
                }
        }
    }

    private static func client(_ id: String, _ access: ClientAccess, exposing groups: [String]?) -> Client {
        var client = Client(id: id, name: id, redirectURIs: ["https://rp.example/cb"], secrets: [])
        (client.access, client.exposedGroups) = (access, groups)
        return client
    }

    private static func open(accounts count: Int = 3, _ body: (Scene) async throws -> Void) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let database = try await SQLiteDatabase(path: folder.path(of: "idp.sqlite"), migrations: IdPMigrations.all)
        try await database.stored.accounts.add(
            (0..<count).map { AddedAccount("usr_\($0)", "a\($0)@example.com", name: "a") })
        let actor = AuditActor.command(user: "root", sudo: "ann")
        try await body(Scene(database: database, changes: OperatorChanges(database, by: actor)))
        await database.close()
    }

    private static func address(_ index: Int) -> String { "a\(index)@example.com" }

    @Test("have a row of the audit log each; one that changes nothing has none")
    func audit() async throws {
        try await Self.open { scene in
            #expect(try await scene.make(MakeGroup("finance")).isChanged)
            #expect(try await !scene.make(MakeGroup("finance")).isChanged)
            let joined = try await scene.make(
                JoinGroup("finance", [Self.address(1), "A0@Example.com", Self.address(0)]))
            #expect(joined.isChanged && joined.result == [Self.address(1), Self.address(0)])
            #expect(try await !scene.make(JoinGroup("finance", [Self.address(0)])).isChanged)
            let left = try await scene.make(
                LeaveGroup("finance", [Self.address(0), Self.address(2)], file: ClientRegistry([])))
            #expect(left.isChanged && left.result.addresses == [Self.address(0)])
            #expect(try await !scene.make(LeaveGroup("finance", [Self.address(0)], file: ClientRegistry([]))).isChanged)
            #expect(try await scene.members(of: "finance") == [Self.address(1)])
            let words = "1 member loses the group finance. To remove it: idp group remove finance --force"
            #expect(try await scene.refusal(of: RemoveGroup("finance", file: ClientRegistry([]))) == words)
            #expect(
                try await scene.make(RemoveGroup("finance", file: ClientRegistry([]), isForced: true)).result == 1)
            #expect(
                try await scene.audit() == [
                    "group_changed added finance", "group_changed joined finance usr_1",
                    "group_changed joined finance usr_0", "group_changed left finance usr_0",
                    "group_changed removed finance, 1 member",
                ])
        }
    }

    @Test("are made for all addresses or for none, and every address at fault is named")
    func allOrNothing() async throws {
        try await Self.open { scene in
            _ = try await scene.make(MakeGroup("finance"))
            _ = try await scene.make(JoinGroup("finance", [Self.address(1)]))
            let words = "there is no account with the address nobody@example.com, x@example.com. Nothing was changed."
            let addresses = [Self.address(0), "nobody@example.com", Self.address(1), "x@example.com"]
            #expect(try await scene.refusal(of: JoinGroup("finance", addresses)) == words)
            #expect(try await scene.refusal(of: LeaveGroup("finance", addresses, file: ClientRegistry([]))) == words)
            #expect(try await scene.members(of: "finance") == [Self.address(1)])
            #expect(try await scene.audit().count == 2)
        }
    }

    @Test("of a group that nobody has made are refused")
    func unknown() async throws {
        try await Self.open { scene in
            let words = "there is no group finance. See idp group list, or make it: idp group add finance"
            let refusals = [
                try await scene.refusal(of: JoinGroup("finance", [Self.address(0)])),
                try await scene.refusal(of: LeaveGroup("finance", [Self.address(0)], file: ClientRegistry([]))),
                try await scene.refusal(of: RemoveGroup("finance", file: ClientRegistry([]))),
            ]
            #expect(refusals == [words, words, words])
            #expect(try await scene.audit().isEmpty)
        }
    }

    @Test("stop at 200 groups, and at 100 of one user, with everyone at fault named")
    func limits() async throws {
        try await Self.open { scene in
            for index in 1...200 { _ = try await scene.make(MakeGroup("g\(index)")) }
            #expect(try await scene.refusal(of: MakeGroup("g201")).hasPrefix("there are 200 groups"))
            #expect(try await !scene.make(MakeGroup("g200")).isChanged)
            for index in 1...100 {
                _ = try await scene.make(JoinGroup("g\(index)", [Self.address(0), Self.address(2)]))
            }
            let refusal = try await scene.refusal(of: JoinGroup("g101", [0, 1, 2].map(Self.address)))
            #expect(refusal.hasPrefix("a0@example.com, a2@example.com: in 100 groups already"))
            #expect(try await scene.members(of: "g101").isEmpty)
            #expect(try await !scene.make(JoinGroup("g100", [Self.address(0)])).isChanged)
        }
    }

    @Test("keep a group that a client names, for its access or to be told of it")
    func named() async throws {
        try await Self.open { scene in
            _ = try await scene.make(MakeGroup("finance"))
            let clients = [
                Self.client("wiki", .groups(["board", "finance"]), exposing: nil),
                Self.client("files", .everyone, exposing: ["finance"]),
                Self.client("mail", .groups(["board"]), exposing: []),
            ]
            #expect(
                try await scene.refusal(of: RemoveGroup("finance", file: ClientRegistry(clients)))
                    == "the group finance is named by the clients wiki, files. Take it out of groups and expose_groups there first."
            )
            #expect(try await scene.make(RemoveGroup("finance", file: ClientRegistry([clients[2]]))).isChanged)
        }
    }

    @Test("a group that is removed and made again is empty")
    func madeAgain() async throws {
        try await Self.open { scene in
            _ = try await scene.make(MakeGroup("finance"))
            _ = try await scene.make(JoinGroup("finance", [Self.address(0)]))
            _ = try await scene.make(RemoveGroup("finance", file: ClientRegistry([]), isForced: true))
            _ = try await scene.make(MakeGroup("finance"))
            #expect(try await scene.members(of: "finance").isEmpty)
        }
    }

    @Test("that end a user's access say at which clients, and at no other")
    func losses() async throws {
        try await Self.open { scene in
            for group in ["finance", "board"] { _ = try await scene.make(MakeGroup(group)) }
            _ = try await scene.make(JoinGroup("finance", [Self.address(0), Self.address(1)]))
            _ = try await scene.make(JoinGroup("board", [Self.address(1)]))
            let clients = [
                Self.client("wiki", .groups(["board", "finance"]), exposing: nil),
                Self.client("books", .groups(["finance"]), exposing: nil),
                Self.client("news", .everyone, exposing: ["finance"]),
                Self.client("plans", .groups(["board"]), exposing: nil),
            ]
            _ = try await scene.make(LeaveGroup("finance", [0, 1, 2].map(Self.address), file: ClientRegistry(clients)))
            #expect(
                try await scene.audit().filter { $0.hasPrefix("session_ended") } == [
                    "session_ended no_access wiki usr_0", "session_ended no_access books usr_0",
                    "session_ended no_access books usr_1",
                ])
        }
    }
}
