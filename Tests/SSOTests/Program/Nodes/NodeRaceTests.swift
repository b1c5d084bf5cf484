import ProbeKit
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Three nodes on one database: separate memory, connections and writers. Single use rests on the database alone.
@Suite("A hundred tries at the same instant over three nodes", .program, .alsoOnPostgres)
struct NodeRaceTests {
    private static let rounds = TestLength.of(short: 4, nightly: 200)

    private static func onThreeNodes(
        apps: Bool = false, _ body: @escaping ([TestDeployment]) async throws -> Void
    ) async throws {
        func run(_ first: TestDeployment) async throws {
            try await first.withSecondIdP { second in
                try await first.withSecondIdP { third in try await body([first, second, third]) }
            }
        }
        if apps { return try await TestDeployment.withApps(run) }
        try await TestDeployment.open { try await run($0) }
    }

    @Test("of 100 verifications of one token one succeeds")
    func tokens() async throws {
        try await Self.onThreeNodes { nodes in
            let (first, client) = (nodes[0], nodes[0].client)
            let browser = try await first.signedIn()
            for _ in 1...Self.rounds {
                let token = try await browser.token(for: client, of: first)
                let statuses = try await atOnce(100) { try await nodes[$0 % 3].verify(token, as: client).status }
                #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 401 } == 99, "\(statuses)")
            }
        }
    }

    @Test("of 100 right codes one signs in")
    func codes() async throws {
        try await Self.onThreeNodes { nodes in
            let asking = try await nodes[0].asking()
            let twins = (0..<100).map { asking.browser.twin(routes: nodes[$0 % 3].routes) }
            let replies = try await atOnce(100) { index in
                try await PendingCode(browser: twins[index], waiting: asking.waiting, code: asking.code)
                    .guess(asking.code)
            }
            #expect(replies.allSatisfy { $0.status == 303 || (400..<500).contains($0.status) })
            #expect(replies.count { !$0.reply.all("set-cookie").isEmpty } == 1)
            #expect(try await nodes[1].stored.sessions.signedIn.count() == 1)
            #expect(try await nodes[2].failures() == 0)
        }
    }

    @Test("of 100 wrong codes five are compared")
    func guesses() async throws {
        try await Self.onThreeNodes { nodes in
            let asking = try await nodes[0].asking()
            let twins = (0..<100).map { asking.browser.twin(routes: nodes[$0 % 3].routes) }
            let statuses = try await atOnce(100) { index in
                try await PendingCode(browser: twins[index], waiting: asking.waiting, code: asking.code)
                    .guess(asking.wrong).status
            }
            #expect(statuses.allSatisfy { $0 == 422 }, "\(statuses)")
            #expect(try await nodes[1].failures() == 5)
        }
    }

    @Test("of 100 posts of one link one signs in")
    func links() async throws {
        try await Self.onThreeNodes { nodes in
            let asking = try await nodes[0].askingForLinkAtClient()
            let page = try await asking.open()
            let twins = (0..<100).map { asking.browser.twin(routes: nodes[$0 % 3].routes) }
            let replies = try await atOnce(100) { try await asking.press(page, in: twins[$0]) }
            #expect(replies.count { $0.reply.all("set-cookie").contains { $0.hasPrefix("idp_session=") } } == 1)
            #expect(try await nodes[1].stored.sessions.signedIn.count() == 1)
            #expect(try await nodes[2].usedChallenges() == 1)
        }
    }

    @Test("of 100 web views with the code of one handoff one is signed in")
    func handoffs() async throws {
        try await Self.onThreeNodes(apps: true) { nodes in
            let app = try nodes[0].app()
            let code = try await nodes[0].handOff(app, in: nodes[0].browser()).handoffCode()
            let views = (0..<100).map { nodes[$0 % 3].webView() }
            let replies = try await atOnce(100) { try await app.present(code, in: views[$0]) }
            #expect(replies.count { $0.status == 303 } == 1 && replies.count { $0.status == 400 } == 99)
            #expect(try await nodes[1].stored.sessions.ofApps.count() == 1)
        }
    }
}
