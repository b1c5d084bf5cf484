import ProbeKit
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPSchema
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("One winner, with three IdP processes on one database", .journey)
    struct OneWinner {
        @Test("of 100 verifications at once, exactly one succeeds", .timeLimit(.minutes(3)))
        func ofVerifications() async throws {
            try await ProcessDeployment.running(ProcessDeployment(idps: 3)) { pair in
                let browser = Browser()
                _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                for round in 1...5 {
                    let token = try await browser.token(for: pair.client, of: pair, state: "round-\(round)")
                    let replies = try await atOnce(100) { index in
                        try await pair.verify(token, as: pair.client, at: pair.idps[index % 3])
                    }
                    let statuses = replies.map(\.status)
                    #expect(statuses.filter { $0 == 200 }.count == 1)
                    #expect(statuses.filter { $0 == 401 }.count == 99)
                }
            }
        }

        @Test("of 100 posts of the right code at once, exactly one signs in", .timeLimit(.minutes(3)))
        func ofCodes() async throws {
            try await ProcessDeployment.running(ProcessDeployment(idps: 3)) { pair in
                let browser = Browser()
                let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: pair.client))
                let code = try await pair.mailbox.code(to: "ann@example.com")
                let form = try waiting.page().form(with: "code")
                let twins = (0..<100).map { browser.twin(routes: pair.routes(to: $0 % 3)) }
                let statuses = try await atOnce(100) { index in
                    try await twins[index].submit(form, on: waiting, ["code": code]).status
                }
                #expect(statuses.allSatisfy { $0 < 500 })
                var sessions: Set<String> = []
                for twin in twins where try await twin.isSignedIn(at: pair) {
                    sessions.insert(twin.cookie("idp_session", at: "localhost") ?? "")
                }
                #expect(sessions.count == 1)
            }
        }

        @Test(
            "of 100 wrong guesses at once, five are compared, and then the right one is refused",
            .timeLimit(.minutes(3)))
        func ofGuesses() async throws {
            try await ProcessDeployment.running(ProcessDeployment(idps: 3)) { pair in
                let browser = Browser()
                let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: pair.client))
                let code = try await pair.mailbox.code(to: "ann@example.com")
                let wrong = code == "000000" ? "000001" : "000000"
                let form = try waiting.page().form(with: "code")
                let replies = try await atOnce(100) { index in
                    try await browser.twin(routes: pair.routes(to: index % 3)).submit(
                        form, on: waiting, ["code": wrong])
                }
                #expect(replies.allSatisfy { (400..<500).contains($0.status) || $0.status == 303 })
                let (tries, guesses) = try await pair.stored {
                    (try await $0.challenges.mostTries(), try await $0.guesses.count())
                }
                #expect(tries == 5 && guesses == 5)
                let last = try await browser.submit(form, on: waiting, ["code": code])
                #expect(last.status == 422)
                #expect(try await !browser.isSignedIn(at: pair))
            }
        }
    }
}
