import Foundation
import SSOShared
import Synchronization
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

extension Journeys.Operators {
    @Suite("Changes of operators while users sign in, through two processes", .journey)
    struct ChangesUnderLoad {
        private static let rounds = TestLength.of(short: 4, nightly: 60)

        private struct Wiki: TestClient {
            let id = "wiki"
            let name = "Wiki"
            var secret: String
            let origin = "http://127.0.0.9:4100"
        }

        /// What the users at work have seen.
        private final class Tally: Sendable {
            private let state = Mutex<(logins: Int, failed: [String])>((0, []))
            var logins: Int { state.withLock(\.logins) }
            var failed: [String] { state.withLock(\.failed) }

            func note(_ status: Int, _ what: String) {
                state.withLock { state in
                    state.logins += 1
                    if status != 200 { state.failed.append("\(what): \(status)") }
                }
            }
        }

        /// The secret of the moment. A rotation waits until nobody signs with the one of before.
        private final class CurrentSecret: Sendable {
            private let state: Mutex<(secret: String, uses: [String: Int])>
            init(_ secret: String) { state = Mutex((secret, [:])) }

            func use<Result>(_ body: (String) async throws -> Result) async throws -> Result {
                let secret = state.withLock { state in
                    state.uses[state.secret, default: 0] += 1
                    return state.secret
                }
                defer { state.withLock { $0.uses[secret, default: 0] -= 1 } }
                return try await body(secret)
            }

            func change(to secret: String) async throws {
                let old = state.withLock { state in
                    defer { state.secret = secret }
                    return state.secret
                }
                try await eventually("nobody signs with the old secret") {
                    state.withLock { $0.uses[old] ?? 0 } == 0 ? () : nil
                }
            }
        }

        @Test(
            "while secrets roll, the clients file changes and users join and leave, no login fails, and nobody gets in after a change was acknowledged",
            .timeLimit(.minutes(10)))
        func all() async throws {
            try await ProcessDeployment.running(try ProcessDeployment(clients: 2, idps: 2)) { pair in
                let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
                let file = ["IDP_CLIENTS_FILE": pair.idp.settings["IDP_CLIENTS_FILE"] ?? ""]
                let ann = Browser()
                _ = try await ann.signIn(at: pair.clients[0], of: pair, as: "ann@example.com")
                let add = [
                    "client", "add", "wiki", "--name", "Wiki", "--redirect-uri",
                    "http://127.0.0.9:4100/auth/sso/callback",
                    "--everyone", "--json",
                ]
                let wiki = Wiki(secret: try Self.secret(try await pair.idp(add, settings: key.merging(file) { $1 })))
                let (tally, stop, secret) = (Tally(), Stop(), CurrentSecret(wiki.secret))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for index in 0..<2 {
                        let browser = ann.twin(routes: pair.routes(to: index))
                        group.addTask {
                            var number = 0
                            while !stop.isStopped {
                                number += 1
                                let state = "load-\(index)-\(number)"
                                let token = try await browser.token(for: wiki, of: pair, state: state)
                                try await secret.use { text in
                                    let reply = try await pair.verify(
                                        token, as: Wiki(secret: text), at: pair.idps[number % 2])
                                    tally.note(reply.status, state)
                                }
                                let other = try await browser.token(for: pair.clients[0], of: pair, state: state)
                                tally.note(
                                    try await pair.verify(other, as: pair.clients[0], at: pair.idps[number % 2]).status,
                                    state)
                            }
                        }
                    }
                    do {
                        try await Self.change(pair, key: key, file: file, secret, ann)
                    } catch {
                        stop.stop()
                        throw error
                    }
                    stop.stop()
                    try await group.waitForAll()
                }
                #expect(tally.failed.isEmpty)
                #expect(tally.logins > 10 * Self.rounds)
                print("\(tally.logins) logins during \(Self.rounds) rounds of changes, \(tally.failed.count) failed")
            }
        }

        private static func secret(_ process: ProgramProcess) throws -> String {
            let object = try JSONSerialization.jsonObject(with: Data(process.printed.utf8)) as? [String: Any]
            return try #require(object?["secret"] as? String)
        }

        /// Rolls the secret, drops and adds a client of the file, and lets Ben into a client and out of it, again and again.
        private static func change(
            _ pair: ProcessDeployment, key: [String: String], file: [String: String], _ secret: CurrentSecret,
            _ ann: Browser
        ) async throws {
            let ben = Browser()
            _ = try await ben.signIn(at: pair.clients[0], of: pair, as: "ben@example.com")
            try await pair.idp(["group", "add", "staff"], settings: file)
            let all = pair.folder.text(of: "clients.yaml")
            let rule = try #require(all.range(of: "access: everyone", options: .backwards))
            let restricted = all.replacingCharacters(in: rule, with: "groups: [staff]")
            let extra =
                "  - id: extra\n    name: Extra\n    redirect_uris: [http://127.0.0.9:4200/cb]\n"
                + "    secrets: [\"\(TestSecret.new())\"]\n    access: everyone\n"
            for round in 1...rounds {
                // The clients file.
                for text in [restricted + extra, restricted] {
                    _ = try pair.folder.write(text, to: "clients.yaml")
                    for (index, process) in pair.idps.enumerated() {
                        let loaded = process.log.components(separatedBy: " clients_file_loaded ").count
                        process.send(SIGHUP)
                        try await eventually("process \(index) has read the file") {
                            process.log.components(separatedBy: " clients_file_loaded ").count > loaded ? () : nil
                        }
                    }
                    let isThere = text != restricted
                    for index in 0...1 {
                        let visit = try await ann.twin(routes: pair.routes(to: index)).get(
                            pair.origin
                                + "/auth/sso/authorize?client_id=extra&state=s&redirect_uri=http://127.0.0.9:4200/cb")
                        #expect((visit.status == 400) != isThere)
                    }
                }
                // A group.
                try await pair.idp(["group", "join", "staff", "ben@example.com"], settings: file)
                var tokens: [String] = []
                for index in 0...1 {
                    tokens.append(
                        try await ben.twin(routes: pair.routes(to: index))
                            .token(for: pair.clients[1], of: pair, state: "in-\(round)-\(index)"))
                }
                try await pair.idp(["group", "leave", "staff", "ben@example.com"], settings: file)
                for (index, token) in tokens.enumerated() {
                    #expect(
                        try await pair.verify(token, as: pair.clients[1], at: pair.idps[1 - index]).status == 401,
                        "round \(round): let in after leave had answered")
                    let visit = try await ben.twin(routes: pair.routes(to: index))
                        .get(pair.authorize(pair.clients[1], state: "out-\(round)-\(index)"))
                    #expect(visit.status == 403)
                }
                // The secret.
                let old = try await secret.use { $0 }
                let new = try Self.secret(
                    try await pair.idp(["client", "rotate", "wiki", "--json"], settings: key.merging(file) { $1 }))
                try await secret.change(to: new)
                try await pair.idp(["client", "retire", "wiki", "--force"], settings: file)
                for index in 0...1 {
                    let token = try await ann.token(for: Wiki(secret: old), of: pair, state: "old-\(round)-\(index)")
                    #expect(
                        try await pair.verify(token, as: Wiki(secret: old), at: pair.idps[index]).status == 401,
                        "round \(round): a retired secret verified")
                }
            }
        }
    }
}
