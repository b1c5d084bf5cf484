import Foundation
import SSOShared
import Synchronization
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("kill -9", .journey)
    struct Crash {
        /// The number of kills.
        static let rounds = TestLength.of(short: 10, nightly: 100)

        @Test(
            "killed at random moments between issue and answer, no token is ever accepted twice",
            .timeLimit(.minutes(10)))
        func neverTwoWins() async throws {
            let pair = try ProcessDeployment()
            try await pair.start()
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            try await pair.client.process.terminate()

            var (slowest, won, unanswered) = (Duration.zero, 0, 0)
            for round in 1...Self.rounds {
                let ledger = TokenLedger()
                async let traffic: Void = ledger.fill(by: browser, of: pair, round: round)
                if round == 1 { try await ledger.waitForUnpresented() }
                // Any moment from before the issue to after the answer.
                try await Task.sleep(for: .microseconds(Int.random(in: 0...30_000)))
                try await pair.idp.kill()
                await traffic

                #expect(try await Self.integrity(of: pair) == "ok")
                slowest = max(slowest, try await pair.idp.start())
                for (token, tokenUses) in ledger.uses {
                    let late = try await pair.verify(token, as: pair.client).status == 200 ? 1 : 0
                    #expect(
                        tokenUses.wins + late <= 1,
                        "round \(round): \(tokenUses.wins) wins before the kill, \(late) after")
                    // A token on a page must survive a crash: if it was not presented, it is still valid.
                    if !tokenUses.presented { #expect(late == 1, "round \(round): an issued token was lost") }
                    if tokenUses.wins + late == 1 { won += 1 } else { unanswered += 1 }
                }
            }
            print(
                "killed \(Self.rounds) times: \(won) tokens won once, \(unanswered) died unanswered, slowest start \(slowest)"
            )
            #expect(won > 0)
            #expect(try await browser.isSignedIn(at: pair))
            try await pair.idp.terminate()
            #expect(try await Self.integrity(of: pair) == "ok")
        }

        @Test(
            "killed after the sign-in, and again before the grant, it loses neither: there is one token, accepted once")
        func betweenSignInAndGrant() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let browser = Browser()
                let form = try await browser.follow(browser.get(pair.authorize(pair.client, state: "kept")))
                let waiting = try await browser.ask(for: "ann@example.com", on: form)
                let code = try await pair.mailbox.code(to: "ann@example.com")
                let signedIn = try await browser.submit(
                    waiting.page().form(with: "code"), on: waiting, ["code": code])
                #expect(try signedIn.location().path == SSOPath.complete)
                try await Self.restart(pair)
                // The flow has led on, and its grant is not issued yet.
                let resumed = try await browser.get(signedIn.location())
                #expect(try resumed.location().path == SSOPath.authorize)
                try await Self.restart(pair)

                let complete = try await browser.follow(resumed)
                #expect(try complete.callback().query("state") == "kept")
                let token = try complete.token()
                #expect(try await pair.verify(token, as: pair.client).status == 200)
                #expect(try await pair.verify(token, as: pair.client).status == 401)
                let back = try await browser.get(signedIn.location())
                #expect(back.status == 410 && !back.text.contains("sst_"))
            }
        }

        /// Kills the IdP, looks at its database and starts it again.
        private static func restart(_ pair: ProcessDeployment) async throws {
            try await pair.idp.kill()
            #expect(try await integrity(of: pair) == "ok")
            try await pair.idp.start()
        }

        /// SQLite's integrity check. Run while no process has the database open.
        static func integrity(of pair: ProcessDeployment, at database: String? = nil) async throws -> String {
            let (output, errors) = (pair.folder.path(of: "integrity.out"), pair.folder.path(of: "integrity.err"))
            try? FileManager.default.removeItem(atPath: output)
            let child = try ChildProcess(
                "/usr/bin/sqlite3", [database ?? pair.databasePath, "PRAGMA integrity_check"], environment: [:],
                folder: pair.folder.path, standardOutput: output, standardError: errors)
            guard try await child.waitForExit() == .code(0) else {
                return pair.folder.text(of: "integrity.err")
            }
            return pair.folder.text(of: "integrity.out").trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}

/// Ends a loop from outside.
final class Stop: Sendable {
    private let value = Mutex(false)
    var isStopped: Bool { value.withLock { $0 } }
    func stop() { value.withLock { $0 = true } }
}

/// What the tokens of one round look like from outside.
final class TokenLedger: Sendable {
    struct Uses: Sendable {
        var wins = 0
        var presented = false
    }

    private let entries = Mutex<[String: Uses]>([:])
    var uses: [String: Uses] { entries.withLock { $0 } }

    /// Waits for the token that is not presented: at least this one is won after the kill.
    func waitForUnpresented() async throws {
        try await eventually("a token that is not presented") { uses.values.contains { !$0.presented } ? () : nil }
    }

    /// Issues tokens and presents each three times at once, until the first program has ended or the test says so. The second
    /// token of a round is not presented.
    func fill(by browser: Browser, of pair: ProcessDeployment, round: Int, until stop: Stop = Stop()) async {
        for number in 1... {
            guard !stop.isStopped,
                let token = try? await browser.token(for: pair.client, of: pair, state: "\(round)-\(number)")
            else { return }
            entries.withLock { $0[token] = Uses(presented: number != 2) }
            if number == 2 { continue }
            let statuses = try? await atOnce(3) { index in
                try? await pair.verify(token, as: pair.client, at: pair.idps[index % pair.idps.count]).status
            }
            entries.withLock { $0[token]?.wins = (statuses ?? []).filter { $0 == 200 }.count }
        }
    }
}
