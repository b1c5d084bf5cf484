import Glibc
import SSOShared
import Synchronization
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("Stopping", .journey)
    struct Shutdown {
        @Test(
            "SIGTERM and SIGINT finish pending requests, accept no new ones, and end with 0",
            arguments: [SIGTERM, SIGINT])
        func inFlight(signal: Int32) async throws {
            let pair = try ProcessDeployment()
            try await pair.start()
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            let probe = HTTPProbe(port: pair.idp.port, authority: "localhost:\(pair.idp.port)", timeout: .seconds(15))

            // Twenty requests of which the program has read one half.
            var halves: [(connection: HTTPConnection, rest: [UInt8])] = []
            for number in 1...20 {
                let token = try await browser.token(for: pair.client, of: pair, state: "in-flight-\(number)")
                let body = VerifyRequest(token: token, redirectURI: nil, codeVerifier: nil).body()
                let bytes = probe.request("POST", SSOPath.verify, try pair.signed(body, by: pair.client), body: body)
                let connection = try probe.connect()
                try connection.send(Array(bytes.dropLast(20)))
                halves.append((connection, Array(bytes.suffix(20))))
            }
            // An answer on a later connection shows that the earlier ones have been accepted.
            #expect(try await probe.get("/healthz").status == 200)
            pair.idp.send(signal)
            try await eventually("new connections are refused", within: .seconds(5)) { () -> Void? in
                (try? probe.connect()) == nil ? () : nil
            }
            for half in halves {
                try half.connection.send(half.rest)
                #expect(try half.connection.reply().status == 200)
            }
            #expect(try await pair.idp.waitForExit() == .code(0))
            pair.client.process.send(signal)
            #expect(try await pair.client.process.waitForExit() == .code(0))
        }

        @Test("under load no answer is cut off, and every acknowledged token use is stored")
        func underLoad() async throws {
            let pair = try ProcessDeployment()
            try await pair.start()
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            let wins = Wins()
            async let outcome = atOnce(16) { worker in await Self.work(worker, browser, pair, counting: wins) }
            try await eventually("the load is on") {
                wins.count >= 16 ? () : nil
            }
            #expect(try await pair.idp.terminate() == .code(0))
            let workers = try await outcome
            #expect(workers.map(\.cutOff).reduce(0, +) == 0)
            let won = workers.flatMap(\.won)
            #expect(!won.isEmpty)
            try await pair.idp.start()
            for token in won { #expect(try await pair.verify(token, as: pair.client).status == 401) }
            try await pair.stop()
        }

        private final class Wins: Sendable {
            private let wins = Mutex(0)
            var count: Int { wins.withLock { $0 } }
            func add(_ number: Int) { wins.withLock { $0 += number } }
        }

        private struct Outcome: Sendable {
            var won: [String] = []
            var cutOff = 0
        }

        /// Signs in repeatedly until the program accepts no more connections.
        private static func work(_ worker: Int, _ browser: Browser, _ pair: ProcessDeployment, counting wins: Wins)
            async
            -> Outcome
        {
            var outcome = Outcome()
            do {
                for number in 1... {
                    let token = try await browser.token(for: pair.client, of: pair, state: "\(worker)-\(number)")
                    guard try await pair.verify(token, as: pair.client).status == 200 else { continue }
                    outcome.won.append(token)
                    wins.add(1)
                }
            } catch {
                if "\(error)".contains("in the middle") { outcome.cutOff += 1 }
            }
            return outcome
        }
    }
}
