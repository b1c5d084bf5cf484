import ProbeKit
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("A provider's answer, over processes and a crash", .journey)
    struct ProviderRace {
        /// Real programs, with a stand-in in their providers file. Their clock is the machine's.
        private static func running(
            idps count: Int, _ body: (ProcessDeployment, StandInProvider) async throws -> Void
        ) async throws {
            let (folder, standIn) = (try TemporaryFolder(), try await StandInProvider.start(.oidc, clock: .system()))
            defer { withExtendedLifetime(folder) {} }
            let file = try folder.write(StandInProvider.file([standIn.yaml(id: "work")]), to: "providers.yaml")
            let pair = try ProcessDeployment(idps: count, settings: ["IDP_PROVIDERS_FILE": file])
            try await ProcessDeployment.running(pair) { try await body($0, standIn) }
            standIn.stop()
        }

        private static func begin(
            _ pair: ProcessDeployment, _ standIn: StandInProvider, in browser: Browser
        ) async throws -> StandInAnswer {
            try await standIn.visit(from: browser.beginSignIn(at: pair.client), in: browser)
        }

        private static func expectNoSignIn(_ pair: ProcessDeployment) async throws {
            for table in ["account", "account_identity", "sso_token"] {
                #expect(try await pair.stored { try await $0.count(of: table) } == 0, "\(table)")
            }
            #expect(try await pair.stored { try await $0.sessions.signedIn.count() } == 0)
        }

        private static func expectOneSignIn(_ pair: ProcessDeployment) async throws {
            #expect(try await pair.stored { try await $0.sessions.signedIn.count() } == 1)
            #expect(try await pair.stored { try await $0.count(of: "account") } == 1)
            #expect(try await pair.stored { try await $0.count(of: "account_identity") } == 1)
        }

        @Test(
            "of 100 callbacks of one answer at the same instant over two processes, one signs in",
            .timeLimit(.minutes(3)))
        func hundred() async throws {
            try await Self.running(idps: 2) { pair, standIn in
                let browser = Browser()
                let answer = try await Self.begin(pair, standIn, in: browser)
                let twins = (0..<100).map { browser.twin(routes: pair.routes(to: $0 % 2)) }
                let visits = try await atOnce(100) { try await twins[$0].bring(answer) }
                #expect(visits.allSatisfy { $0.status < 500 })
                #expect(standIn.requests(at: .token).count == 1)
                try await Self.expectOneSignIn(pair)
            }
        }

        @Test(
            "after kill -9 between callback and session the flow still waits, and the old answer brings nothing",
            .timeLimit(.minutes(3)))
        func crash() async throws {
            try await Self.running(idps: 1) { pair, standIn in
                let browser = Browser()
                let answer = try await Self.begin(pair, standIn, in: browser)
                standIn.replace(.token) { _ in .hang }
                let waiting = browser.twin()
                let unanswered = Task { try? await waiting.bring(answer) }
                try await eventually("the call for the token") { standIn.requests(at: .token).isEmpty ? nil : () }
                try await pair.idp.kill()
                _ = await unanswered.value
                // Whatever the process did before it was killed, no user is signed in.
                try await Self.expectNoSignIn(pair)
                standIn.replace(.token, nil)
                try await pair.idp.start()

                let form = try await browser.follow(browser.bring(answer))
                #expect(form.status == 200)
                #expect(standIn.requests(at: .token).count == 1, "the old answer is used up")
                try await Self.expectNoSignIn(pair)
                let again = try await standIn.visit(from: form, in: browser)
                let complete = try await browser.follow(browser.bring(again))
                #expect(try complete.callback().absolute.hasPrefix(pair.client.callback))
                _ = try await browser.follow(browser.get(complete.callback()))
                #expect(try await browser.isSignedIn(at: pair.client))
                try await Self.expectOneSignIn(pair)
            }
        }
    }
}
