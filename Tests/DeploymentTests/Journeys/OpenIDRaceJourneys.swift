import Foundation
import SSOShared
import Synchronization
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("OpenID Connect, with several IdP processes on one database", .journey)
    struct OpenIDRaces {
        private static let rounds = TestLength.of(short: 2, nightly: 20)
        private static let restarts = TestLength.of(short: 1, nightly: 5)

        private static func deployment(idps: Int) throws -> ProcessDeployment {
            let pair = try ProcessDeployment(clients: 2, idps: idps)
            let file = pair.folder.text(of: "clients.yaml").replacingOccurrences(
                of: "    access: everyone\n",
                with: """
                        access: everyone
                        protocols: [sso, oidc]
                        scopes: [openid, email, offline_access]

                    """)
            _ = try pair.folder.write(file, to: "clients.yaml")
            return pair
        }

        @Test(
            "of 100 uses of one code at once, exactly one succeeds, and the repetition makes its tokens void",
            .timeLimit(.minutes(3)))
        func ofCodes() async throws {
            try await ProcessDeployment.running(Self.deployment(idps: 3)) { pair in
                let browser = Browser()
                _ = try await browser.signIn(at: pair.clients[0], of: pair, as: "ann@example.com")
                for round in 1...Self.rounds {
                    let code = try await browser.openIDCode(at: pair.clients[0], of: pair, state: "round-\(round)")
                    let replies = try await atOnce(100) { index in
                        try await pair.openIDTokens(code: code, pair.clients[0], at: pair.idps[index % 3])
                    }
                    let winners = replies.filter { $0.status == 200 }
                    let others = try replies.filter { $0.status != 200 }.map { try $0.json()["error"]?.text }
                    #expect(winners.count == 1 && others == Array(repeating: "invalid_grant", count: 99))
                    let token = try #require(winners.first?.json()["access_token"]?.text)
                    #expect(try await pair.userInfo(token).status == 401, "a code that leaked gives nothing")
                }
            }
        }

        @Test(
            "100 uses of one refresh token at once give the same successor, which is used once as well",
            .timeLimit(.minutes(3)))
        func ofRefreshTokens() async throws {
            try await ProcessDeployment.running(Self.deployment(idps: 3)) { pair in
                let browser = Browser()
                _ = try await browser.signIn(at: pair.clients[0], of: pair, as: "ann@example.com")
                for round in 1...Self.rounds {
                    let code = try await browser.openIDCode(at: pair.clients[0], of: pair, state: "s\(round)")
                    let first = try await pair.openIDTokens(code: code, pair.clients[0], at: pair.idps[0]).json()
                    let old = try #require(first["refresh_token"]?.text)
                    let replies = try await atOnce(100) { index in
                        try await pair.openIDTokens(refresh: old, pair.clients[0], at: pair.idps[index % 3])
                    }
                    let successors = Set(try replies.map { try $0.json()["refresh_token"]?.text ?? "none" })
                    #expect(replies.allSatisfy { $0.status == 200 } && successors.count == 1)
                    #expect(successors.first != old)
                }
            }
        }

        @Test(
            "while the secret of a client, the signing keys and IDP_SECRET_KEY are replaced and processes restart, no login fails",
            .timeLimit(.minutes(10)))
        func rolling() async throws {
            try await ProcessDeployment.running(Self.deployment(idps: 2)) { pair in
                let browser = Browser()
                _ = try await browser.signIn(at: pair.clients[0], of: pair, as: "ann@example.com")
                let (tally, stop, balancer) = (Logins(), Stop(), Balancer(count: 2))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in 0..<2 {
                        group.addTask {
                            var number = 0
                            while !stop.isStopped {
                                number += 1
                                let state = "load-\(worker)-\(number)"
                                try await balancer.use { index in
                                    let routed = browser.twin(routes: pair.routes(to: index))
                                    tally.note(
                                        try await routed.openIDLogin(
                                            at: pair.clients[0], of: pair, by: pair.idps[index], state: state))
                                }
                            }
                        }
                    }
                    do {
                        try await Self.replaceEverything(pair, balancer)
                    } catch {
                        stop.stop()
                        throw error
                    }
                    stop.stop()
                    try await group.waitForAll()
                }
                #expect(tally.failed.isEmpty, "\(tally.failed.prefix(5))")
                #expect(tally.count > 10 * Self.restarts)
                print(
                    "\(tally.count) logins by OpenID Connect in \(Self.restarts) rolling restarts, \(tally.failed.count) failed"
                )
            }
        }

        private static func replaceEverything(_ pair: ProcessDeployment, _ balancer: Balancer) async throws {
            for restart in 1...restarts {
                let old = pair.idp.settings["IDP_SECRET_KEY"] ?? ""
                let key = ["IDP_SECRET_KEY": old]
                // While a next key waits, another one is refused.
                try await pair.idp(["keys", "rotate"] + (restart == 1 ? [] : ["--now"]), settings: key)
                let new = TestSecret.new()
                // Every process learns to open what the new key has sealed, then seals with it, and then forgets the old key.
                for settings in ["\(old),\(new)", "\(new),\(old)", new] {
                    if settings == new {
                        try await eventually("nothing is sealed with the old key") {
                            let lines = try await pair.idp(["check"], settings: pair.idp.settings).printed.split(
                                separator: "\n"
                            )
                            .filter { $0.contains("need an old key") }
                            return !lines.isEmpty && lines.allSatisfy { $0.contains(" 0 need an old key") } ? () : nil
                        }
                    }
                    for (index, process) in pair.idps.enumerated() {
                        process.set("IDP_SECRET_KEY", to: settings)
                        try await balancer.without(index) {
                            try await process.terminate()
                            try await process.start()
                        }
                    }
                }
            }
        }

        /// What clients have seen.
        private final class Logins: Sendable {
            private let state = Mutex<(count: Int, failed: [String])>((0, []))
            var count: Int { state.withLock(\.count) }
            var failed: [String] { state.withLock(\.failed) }

            /// - Parameter failure: what went wrong; nil for a login that succeeded.
            func note(_ failure: String?) {
                state.withLock { state in
                    state.count += 1
                    if let failure { state.failed.append(failure) }
                }
            }
        }

        /// Sends requests to processes as a load balancer does: to none that is about to stop.
        private final class Balancer: Sendable {
            private let state: Mutex<(isOut: [Bool], underWay: [Int], next: Int)>
            init(count: Int) {
                state = Mutex((Array(repeating: false, count: count), Array(repeating: 0, count: count), 0))
            }

            func use(_ body: (Int) async throws -> Void) async throws {
                let index = state.withLock { state in
                    repeat { state.next = (state.next + 1) % state.isOut.count } while state.isOut[state.next]
                    state.underWay[state.next] += 1
                    return state.next
                }
                defer { state.withLock { $0.underWay[index] -= 1 } }
                try await body(index)
            }

            func without(_ index: Int, _ body: () async throws -> Void) async throws {
                state.withLock { $0.isOut[index] = true }
                try await eventually("process \(index) is idle") {
                    state.withLock { $0.underWay[index] } == 0 ? () : nil
                }
                try await body()
                state.withLock { $0.isOut[index] = false }
            }
        }
    }
}
