import ProbeKit
import SQLiteStorage
import SSOShared
import Storage
import Testing

@testable import Counterparts
@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("A passkey's answer, over processes and a crash", .journey)
    struct PasskeyRace {
        private static func signIns(_ pair: ProcessDeployment) async throws -> Int {
            try await pair.stored { try await $0.audit.of("signed_in").detail(from: "passkey").count() }
        }

        /// A user with a passkey, and a browser of nobody at the sign-in page.
        private static func begin(
            _ pair: ProcessDeployment
        ) async throws -> (authenticator: SoftwareAuthenticator, browser: Browser, page: Visit) {
            let (owner, authenticator) = (Browser(), SoftwareAuthenticator())
            _ = try await owner.signIn(at: pair.client, of: pair, as: "ann@example.com")
            let add = try await owner.get(pair.origin + "/passkeys/add")
            #expect(try await owner.addPasskey(authenticator, on: add).status == 303)
            let browser = Browser()
            return (authenticator, browser, try await browser.get(pair.origin + "/sign-in"))
        }

        @Test(
            "of 100 uses of one answer at the same instant over two processes, one signs in", .timeLimit(.minutes(3)))
        func hundred() async throws {
            try await ProcessDeployment.running(ProcessDeployment(idps: 2)) { pair in
                let (authenticator, browser, page) = try await Self.begin(pair)
                let answer = try authenticator.get(page.passkeyOptions(), at: pair.origin)
                let twins = (0..<100).map { browser.twin(routes: pair.routes(to: $0 % 2)) }
                let visits = try await atOnce(100) { try await twins[$0].sendPasskey(answer, on: page) }
                #expect(visits.allSatisfy { $0.status < 500 })
                #expect(try await Self.signIns(pair) == 1)
            }
        }

        @Test("after kill -9 an answer that signed nobody in is worth nothing", .timeLimit(.minutes(3)))
        func crash() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let (authenticator, browser, page) = try await Self.begin(pair)
                var draft = try authenticator.assertion(page.passkeyOptions(), at: pair.origin)
                let good = String(decoding: try draft.passkey().json, as: UTF8.self)
                draft.userHandle = try RandomBytes.generate(32)
                let bad = String(decoding: try draft.passkey().json, as: UTF8.self)
                let twin = browser.twin()
                #expect(try await twin.sendPasskey(bad, on: page).status == 422)
                try await pair.idp.kill()
                try await pair.idp.start()
                #expect(try await browser.sendPasskey(good, on: page).status == 422)
                #expect(try await Self.signIns(pair) == 0)
            }
        }
    }
}
