import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdP
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Threats 214 and 303.
@Suite("A client with more users than one transaction can end", .program, .alsoOnPostgres)
struct ManyUsersTests {
    private struct Scene {
        let deployment: TestDeployment
        let client = AddedClient()

        /// The command `idp client disable`, or another one.
        func make(
            _ change: some OperatorChange, writes: Int = .max, statements: Int = 800
        ) async throws -> Bool {
            try await OperatorChanges(
                RecordingDatabase(deployment.database, writes: writes, statements: statements),
                by: .command(user: "root", sudo: nil), clock: deployment.clock.clock
            ).make(change).isChanged
        }

        func enable(_ isEnabled: Bool, writes: Int = .max) async throws -> Bool {
            try await make(EnableClient(client.id, isEnabled, deployment.registrar), writes: writes)
        }

        /// Why a change is refused; empty when it is made.
        func refusal(of change: some OperatorChange) async throws -> String {
            do {
                _ = try await make(change)
                return ""
            } catch let refusal as ChangeError {
                return refusal.description
            }
        }

        var open: Int { get async throws { try await deployment.stored.clientSignIns.open.count() } }

        /// How many ends, and how many messages about them, the audit log has.
        func told() async throws -> [Int] {
            let rows = deployment.stored.audit.at(client: client.id)
            return [try await rows.of("session_ended").count(), try await rows.of("sign_out_queued").count()]
        }
    }

    /// So many users in the group `staff`, who are signed in at one client.
    private static func open(_ count: Int, _ body: (Scene) async throws -> Void) async throws {
        // The running IdP writes nothing: what its own start does may come late, and would finish what is broken off here.
        try await TestDeployment.open(wrapping: { RecordingDatabase($0, writes: 0) }) { deployment in
            let scene = Scene(deployment: deployment)
            // Nobody listens there: each message waits.
            try await deployment.add(scene.client, ["logout_uri": .text("http://127.0.0.1:1/auth/sso/logout")])
            try await deployment.makeGroups(["staff"])
            let ids = (0..<count).map { "usr_\($0)" }
            try await deployment.stored.accounts.add(ids.map { AddedAccount($0, "\($0)@example.com") })
            try await deployment.stored.memberships.add(ids.map { ($0, "staff") })
            try await deployment.stored.clientSignIns.add(ids, at: scene.client.id, now: deployment.clock.now)
            try await body(scene)
        }
    }

    @Test("is disabled, and told of each user, whatever their number")
    func disabled() async throws {
        try await Self.open(250) { scene in
            let isChanged = try await scene.enable(false)
            #expect(isChanged)
            #expect(try await scene.open == 0)
            #expect(try await scene.told() == [250, 250])
            #expect(try await scene.enable(true))
        }
    }

    @Test("gets a narrower rule, and loses a group with its members, whatever their number")
    func narrowed() async throws {
        try await Self.open(370) { scene in
            let (id, registrar) = (scene.client.id, scene.deployment.registrar)
            let values: [String: ClientEntry.Value?] = ["access": nil, "groups": .list(["staff"])]
            #expect(try await scene.make(SetClient(id, values, logo: nil, registrar)))
            #expect(try await scene.told() == [0, 0])
            let addresses = (0..<120).map { "usr_\($0)@example.com" }
            #expect(try await scene.make(LeaveGroup("staff", addresses, file: ClientRegistry([]))))
            #expect(try await scene.told() == [120, 120])
            let board: [String: ClientEntry.Value?] = ["groups": .list(["board"])]
            try await scene.deployment.makeGroups(["board"])
            #expect(try await scene.make(SetClient(id, board, logo: nil, registrar)))
            #expect(try await scene.told() == [370, 370])
        }
    }

    @Test("whose disabling broke off stays disabled, and the next start tells it of the others")
    func brokenOff() async throws {
        try await Self.open(120) { scene in
            // The change and a hundred of the users.
            await #expect(throws: DatabaseError.self) { try await scene.enable(false, writes: 2) }
            #expect(try await scene.open == 20)
            #expect(try await scene.told() == [100, 100])
            try await scene.deployment.withSecondIdP { _ in
                try await eventually("the others have ended") { try await scene.told() == [120, 120] ? () : nil }
            }
            #expect(try await scene.open == 0)
            #expect(try await scene.enable(true))
        }
    }

    @Test("whose disabling broke off is neither enabled nor removed before all have ended: the same command ends them")
    func repeated() async throws {
        try await Self.open(120) { scene in
            await #expect(throws: DatabaseError.self) { try await scene.enable(false, writes: 2) }
            let registrar = scene.deployment.registrar
            let changes: [any OperatorChange] = [
                EnableClient(scene.client.id, true, registrar), RemoveClient(scene.client.id, registrar),
            ]
            for change in changes {
                #expect(try await scene.refusal(of: change).contains("20 users at wiki have not ended yet"))
            }
            let isChanged = try await scene.enable(false)
            #expect(!isChanged, "it is disabled already")
            #expect(try await scene.told() == [120, 120])
            #expect(try await scene.enable(true))
        }
    }
}
