import Foundation
import Glibc
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    /// Nodes, the server and the network between them fail while users sign in.
    @Suite("Faults of nodes, server and network on PostgreSQL", .journey, .dependsOnMachine)
    struct PostgresFaults {
        // MARK: - Killed

        enum Victim: CaseIterable, Sendable {
            case node, connections, server
            /// How often each dies.
            var rounds: Int {
                switch self {
                case .node: TestLength.of(short: 2, nightly: 200)
                case .connections: TestLength.of(short: 2, nightly: 50)
                case .server: TestLength.of(short: 2, nightly: 20)
                }
            }
        }

        @Test(
            "whatever is killed while tokens are issued and redeemed, none is lost that was shown, and none wins twice",
            .timeLimit(.minutes(20)), arguments: Victim.allCases)
        func killed(_ victim: Victim) async throws {
            try await PostgreSQLServer.open { server in
                let pair = try ProcessDeployment(
                    idps: 3, settings: ["IDP_DATABASE_URL": "host=\(server.socket) user=postgres dbname=postgres"])
                try await ProcessDeployment.running(pair) { pair in
                    let browser = Browser()
                    _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                    var (won, unanswered, slowest) = (0, 0, Duration.zero)
                    for round in 1...victim.rounds {
                        let ledger = TokenLedger()
                        let stop = Stop()
                        async let traffic: Void = ledger.fill(by: browser, of: pair, round: round, until: stop)
                        if round == 1 { try await ledger.waitForUnpresented() }
                        // Any moment from before the issue to after the answer.
                        try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000)))
                        switch victim {
                        case .node: try await pair.idps[round % 3].kill()
                        case .connections:
                            _ = try await server.run([
                                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                            ])
                        case .server: try await server.kill(SIGQUIT)
                        }
                        stop.stop()
                        await traffic
                        if victim == .server { try await server.start() }
                        let begin = ContinuousClock.now
                        if victim == .node { try await pair.idps[round % 3].start() }
                        for idp in pair.idps { try await Self.ready(idp) }
                        slowest = max(slowest, ContinuousClock.now - begin)
                        for (token, uses) in ledger.uses {
                            let late = try await pair.verify(token, as: pair.client, at: pair.idps[round % 3]).status
                            #expect([200, 401].contains(late))
                            let wins = uses.wins + (late == 200 ? 1 : 0)
                            #expect(wins <= 1, "round \(round): accepted \(wins) times")
                            if !uses.presented { #expect(late == 200, "round \(round): an issued token was lost") }
                            if wins == 1 { won += 1 } else { unanswered += 1 }
                        }
                    }
                    print(
                        "\(victim) killed \(victim.rounds) times: \(won) tokens won once, \(unanswered) died unanswered, all nodes served after at most \(slowest)"
                    )
                    #expect(won > 0)
                    #expect(try await browser.isSignedIn(at: pair))
                }
            }
        }

        private static func ready(_ idp: ProgramProcess) async throws {
            let probe = HTTPProbe(host: idp.host, port: idp.port)
            try await eventually("the node is ready") { () -> Void? in
                try await probe.get("/readyz").status == 200 ? () : nil
            }
        }

        // MARK: - Failover

        @Test(
            "a primary that dies with a synchronous standby costs no token and no session, and only 503 meanwhile",
            .timeLimit(.minutes(20)))
        func failover() async throws {
            var gaps: [Duration] = []
            for _ in 1...TestLength.of(short: 1, nightly: 20) { gaps.append(try await Self.failOver()) }
            print("no writes for \(gaps.map { "\(($0 / .milliseconds(10)).rounded() / 100) s" })")
        }

        /// - Returns: how long no node has written.
        private static func failOver() async throws -> Duration {
            var gap = Duration.zero
            try await PostgreSQLServer.open { primary in
                let standby = try await primary.standby(port: 5433)
                _ = try await primary.run([
                    "ALTER SYSTEM SET synchronous_standby_names = '\"standby-5433\"'", "SELECT pg_reload_conf()",
                ])
                let pair = try ProcessDeployment(
                    idps: 3,
                    settings: [
                        "IDP_DATABASE_URL":
                            "host=\(primary.socket),\(primary.socket) port=5432,5433 user=postgres dbname=postgres"
                    ])
                try await ProcessDeployment.running(pair) { pair in
                    let proxy = try await ProxyProcess(.haproxy, to: pair.idps.map(\.port), readiness: "/readyz")
                    let browser = Browser(routes: [pair.origin: proxy.probe.port])
                    _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                    var tokens: [String] = []
                    for number in 1...10 {
                        tokens.append(try await browser.token(for: pair.client, of: pair, state: "\(number)"))
                    }
                    for token in tokens.prefix(5) {
                        #expect(try await pair.verify(token, as: pair.client).status == 200)
                    }
                    try await primary.kill()
                    let begin = ContinuousClock.now
                    async let promotion: Void = standby.promote()
                    let next = try await eventually("a node issues a token") { () -> String? in
                        let reply = try await browser.get(pair.authorize(pair.client, state: "after"))
                        if reply.status == 200 { return try reply.token() }
                        #expect(reply.status == 503, "\(reply.status)")
                        return nil
                    }
                    gap = ContinuousClock.now - begin
                    try await promotion
                    for idp in pair.idps { try await ready(idp) }
                    for (number, token) in (tokens + [next]).enumerated() {
                        let statuses = try await atOnce(6) { index in
                            try await pair.verify(token, as: pair.client, at: pair.idps[index % 3]).status
                        }
                        #expect(statuses.count { $0 == 200 } == (number < 5 ? 0 : 1), "\(number): \(statuses)")
                        #expect(statuses.allSatisfy { [200, 401].contains($0) })
                    }
                    #expect(try await browser.isSignedIn(at: pair))
                }
                try await standby.stop()
                try await primary.start()
            }
            return gap
        }

        // MARK: - The network

        @Test("a network that fails in any way leaves a token unused, or used once")
        func network() async throws {
            try await PostgreSQLServer.open { server in
                let relay = try PostgreSQLRelay(before: server)
                let pair = try ProcessDeployment(settings: [
                    "IDP_DATABASE_URL": "postgres://postgres@127.0.0.1:\(relay.port)/postgres"
                ])
                try await ProcessDeployment.running(pair) { pair in
                    let browser = Browser()
                    _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                    let probe = HTTPProbe(host: pair.idp.host, port: pair.idp.port)
                    /// One verification through such a network, and one after it.
                    ///
                    /// - Parameter repeats: how often it is sent while the network fails, one after another.
                    func attempt(
                        _ network: PostgreSQLRelay.Network, repeats: Int = 1
                    ) async throws -> (during: Int, after: Int) {
                        let token = try await browser.token(for: pair.client, of: pair, state: "\(network)")
                        relay.network = network
                        let during = try await pair.verify(token, as: pair.client)
                        if during.status == 503 { #expect(during.header("retry-after") == "1") }
                        for _ in 1..<repeats { #expect(try await pair.verify(token, as: pair.client).status == 503) }
                        #expect(try await probe.get("/healthz").status == 200)
                        relay.network = .whole
                        try await Self.ready(pair.idp)
                        return (during.status, try await pair.verify(token, as: pair.client).status)
                    }
                    // Slow and whole.
                    #expect(try await attempt(.slow(.milliseconds(50))) == (200, 401))
                    // It never reached the server: another connection, in the same request, or the next request.
                    for network in [PostgreSQLRelay.Network.cut, .stalled, .trickling] {
                        // A stall of 30 seconds and more is nine requests that are given up one after another.
                        let repeats = network == .stalled ? TestLength.of(short: 1, nightly: 9) : 1
                        let (during, after) = try await attempt(network, repeats: repeats)
                        #expect(during == 503 && after == 200, "\(network): \(during), \(after)")
                        let connections = try await server.run([
                            "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                        ])
                        // Ten of the program, and this one.
                        let count = try #require(connections.rows.first.flatMap { Int($0) })
                        #expect(count <= 11, "\(network): \(count) connections")
                    }
                    /// One whose own commit is hit: the next one may be that of a heartbeat, and the verification goes well then.
                    func hit(_ network: PostgreSQLRelay.Network) async throws -> (during: Int, after: Int) {
                        for _ in 1...9 {
                            let result = try await attempt(network)
                            guard result == (200, 401) else { return result }
                        }
                        return (200, 401)
                    }
                    // The program cannot know which of both it was, and says 503 to either.
                    #expect(try await hit(.cutBeforeCommit) == (503, 200))
                    #expect(try await hit(.cutAfterCommit) == (503, 401))
                    try await pair.idp.logs("database_commit_unknown")
                }
            }
        }
    }
}
