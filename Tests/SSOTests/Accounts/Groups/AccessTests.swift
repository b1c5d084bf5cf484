import IdPGate
import IdPOIDC
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Who may enter a client, at every place that issues or redeems a grant (ASVS 8.3.2: changes of access apply at once).
@Suite("Access to a client", .program)
struct AccessTests {
    private static let address = "ann@example.com"

    /// A rule of a client, and whether a member of `finance`, who is in no other group, may enter.
    private static let rules: [(keys: String, mayEnter: Bool)] = [
        ("access: everyone", true), ("hidden: false", true), ("groups: [finance]", true),
        ("groups: [board, finance]", true), ("groups: [board]", false), ("groups: [nobody-made-it]", false),
        ("groups: [finance-board]", false), ("groups: [finan]", false), ("groups: [fin-nce]", false),
    ]

    @Test(
        "is decided by its rule when a grant is issued, for every protocol", arguments: TestedProtocol.allCases)
    func issue(asking: TestedProtocol) async throws {
        try await Self.withRules { deployment, browser in
            for (client, rule) in zip(deployment.clients, Self.rules) {
                let visit = try await browser.get(asking.ask(client, mark: "m", of: deployment))
                if rule.mayEnter {
                    let redeemed = try await asking.redeem(asking.callback(visit), as: client, of: deployment)
                    #expect(redeemed?.email == Self.address, "\(rule.keys)")
                } else {
                    #expect(visit.status == 403 && !visit.text.contains(asking.secretPrefix), "\(rule.keys)")
                    #expect(try await deployment.stored.grants.of(client: client.id).count() == 0)
                }
            }
        }
    }

    @Test(
        "is decided by the same rule when a grant is redeemed, for every protocol", arguments: TestedProtocol.allCases)
    func redeem(asking: TestedProtocol) async throws {
        try await Self.withRules { deployment, browser in
            for (client, rule) in zip(deployment.clients, Self.rules) {
                // Issued under a rule for everyone, of a client that another process has read already.
                let open = deployment.clients[0]
                let callback = try asking.callback(
                    try await browser.get(asking.ask(open, mark: client.id, of: deployment)))
                try await deployment.stored.grants.open.setReturnAddress(asking.callbackAddress(of: client))
                try await deployment.stored.grants.open.setClient(client.id)
                let redeemed = try await asking.redeem(callback, as: client, of: deployment)
                #expect((redeemed != nil) == rule.mayEnter, "\(rule.keys)")
            }
        }
    }

    /// A deployment with a client for each rule, and a browser of the user of ``rules``.
    private static func withRules(_ body: (TestDeployment, Browser) async throws -> Void) async throws {
        try await TestDeployment.open(
            clients: rules.count, keys: rules.map { $0.keys }, clientKeys: TestedProtocol.clientKeys,
            adding: TicketProtocol.added
        ) { deployment in
            let browser = try await deployment.signedIn(as: address)
            try await deployment.makeGroups(["finance"], members: [address])
            try await deployment.makeGroups(["board"])
            try await body(deployment, browser)
        }
    }

    @Test(
        "lost between issue and redemption, the grant is refused with its cause and void: joining again does not revive it",
        arguments: TestedProtocol.allCases)
    func leaving(asking: TestedProtocol) async throws {
        try await Self.withMember { deployment, browser in
            let client = deployment.clients[1]
            let refused: EventKind = [.oidc: .tokenRequestRefused, .gate: .gateRefused][asking] ?? .verifyRefused
            let callback = try asking.callback(try await browser.get(asking.ask(client, mark: "m", of: deployment)))
            try await deployment.change(LeaveGroup("finance", [Self.address], file: ClientRegistry([])))
            #expect(try await asking.redeem(callback, as: client, of: deployment) == nil)
            #expect(try await deployment.auditRows(refused).map(\.cause) == ["no_access"])
            #expect(try await deployment.stored.grants.voided.count() == 1)
            try await deployment.change(JoinGroup("finance", [Self.address]))
            #expect(try await asking.redeem(callback, as: client, of: deployment) == nil)
            #expect(try await deployment.auditRows(refused).map(\.cause) == ["no_access", "void"])
            let next = try asking.callback(try await browser.get(asking.ask(client, mark: "n", of: deployment)))
            #expect(try await asking.redeem(next, as: client, of: deployment) != nil)
        }
    }

    @Test("the client is told: 401 invalid_token, with a sentence of its own, and the log says no_access")
    func words() async throws {
        try await Self.withMember { deployment, browser in
            let client = deployment.clients[1]
            let token = try await browser.token(for: client, of: deployment)
            try await deployment.change(LeaveGroup("finance", [Self.address], file: ClientRegistry([])))
            let reply = try await deployment.verify(token, as: client)
            #expect(reply.status == 401 && reply.text.contains(#""error":"invalid_token""#))
            #expect(reply.text.contains("The user has lost access to this client"))
            #expect(deployment.log.text.contains("\"cause\": no_access"))
        }
    }

    @Test(
        "a grant of before stays void when access is given again, whatever took it away, also of a user who never entered"
    )
    func again() async throws {
        try await Self.withMember { deployment, browser in
            let client = deployment.clients[1]
            let token = try await browser.token(for: client, of: deployment)
            try await deployment.change(
                LeaveGroup("finance", [Self.address], file: deployment.idp.clients.clients))
            try await deployment.change(JoinGroup("finance", [Self.address]))
            #expect(try await deployment.verify(token, as: client).status == 401)
            let next = try await browser.token(for: client, of: deployment)
            // The rule of the file is read again, and lets only the board in for a moment.
            try await GroupSteps.close(client.id, deployment, deployment.database)
            #expect(try await deployment.verify(next, as: client).status == 401)
        }
    }

    @Test("a change holds in every process at once, also for a client of another process")
    func processes() async throws {
        try await Self.withMember { deployment, browser in
            try await deployment.withSecondIdP { second in
                let other = browser.twin(routes: second.routes)
                let client = deployment.clients[1]
                for round in 1...3 {
                    let token = try await other.token(for: client, of: second, state: "in-\(round)")
                    try await deployment.change(LeaveGroup("finance", [Self.address], file: ClientRegistry([])))
                    #expect(try await second.verify(token, as: client).status == 401)
                    #expect(try await other.get(second.authorize(client, state: "out-\(round)")).status == 403)
                    try await deployment.change(JoinGroup("finance", [Self.address]))
                    #expect(
                        try await deployment.verify(
                            browser.token(for: client, of: deployment, state: "again-\(round)"), as: client
                        ).status == 200)
                }
            }
        }
    }

    @Test(
        "a client for everyone costs no statement, and one with groups one when a grant is issued and none when it is redeemed"
    )
    func cost() async throws {
        var recorded: RecordingDatabase?
        func wrap(_ database: any Database) -> any Database {
            let wrapped = RecordingDatabase(database)
            recorded = wrapped
            return wrapped
        }
        try await TestDeployment.open(
            clients: 2, keys: ["access: everyone", "groups: [finance]"], wrapping: wrap
        ) { deployment in
            let recorder = try #require(recorded)
            let browser = try await deployment.signedIn(as: Self.address)
            try await deployment.makeGroups(["finance"], members: [Self.address])
            /// Statements that ask for the groups of an account alone.
            func questions(_ body: () async throws -> Void) async throws -> Int {
                _ = recorder.takeStatements()
                try await body()
                return recorder.takeStatements().count { $0.hasPrefix("SELECT group_id FROM group_member") }
            }
            for (client, expected) in zip(deployment.clients, [0, 1]) {
                var token = ""
                let ofIssue = try await questions { token = try await browser.token(for: client, of: deployment) }
                var status = 0
                let ofRedeem = try await questions { status = try await deployment.verify(token, as: client).status }
                #expect(status == 200)
                #expect(ofIssue == expected && ofRedeem == 0)
            }
        }
    }

    /// Two clients: one for everyone, and one for `finance`, in which the user of the browser is.
    private static func withMember(_ body: (TestDeployment, Browser) async throws -> Void) async throws {
        try await TestDeployment.open(
            clients: 2, keys: ["access: everyone", "groups: [finance]"], clientKeys: TestedProtocol.clientKeys,
            adding: TicketProtocol.added
        ) { deployment in
            let browser = try await deployment.signedIn(as: address)
            try await deployment.makeGroups(["finance"], members: [address])
            // The sign-in has left a token of the other client.
            try await deployment.stored.grants.delete()
            try await body(deployment, browser)
        }
    }
}
