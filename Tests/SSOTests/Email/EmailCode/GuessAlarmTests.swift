import Foundation
import IdPClients
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPSignIn
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The alarm for password spraying", .program, .alsoOnPostgres)
struct GuessAlarmTests {
    private static func count(_ event: String, in deployment: TestDeployment) -> Int {
        deployment.log.text.components(separatedBy: event).count - 1
    }

    /// Each account stays within its own limits: the attack tries few codes on many accounts.
    private static func spray(_ accounts: Range<Int>, _ deployment: TestDeployment) async throws {
        for number in accounts {
            let browser = deployment.browser()
            let waiting = try await deployment.waiting(for: "user\(number)@example.com", by: browser)
            for _ in 0..<5 {
                let form = try waiting.page().form(with: "code")
                _ = try await browser.submit(form, on: waiting, ["code": "000000"])
            }
        }
    }

    @Test(
        "a hundred within ten minutes raise no alarm, one more raises it once, and an hour without wrong codes ends it once"
    )
    func alarm() async throws {
        try await TestDeployment.open { deployment in
            let guesses = GuessStore(
                database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness())
            try await Self.spray(0..<20, deployment)
            #expect(Self.count("guess_alarm_raised", in: deployment) == 0)
            try await Self.spray(20..<22, deployment)
            #expect(Self.count("guess_alarm_raised", in: deployment) == 1)
            #expect(try await guesses.isAlarmed())
            deployment.clock.advance(by: .minutes(59))
            let logger = deployment.log.logger("idp")
            #expect(try await guesses.endAlarm(logger) == false)
            #expect(try await guesses.isAlarmed())
            deployment.clock.advance(by: .minutes(1))
            #expect(try await !guesses.isAlarmed())
            #expect(try await guesses.endAlarm(logger))
            #expect(try await guesses.endAlarm(logger) == false, "only one process reports it")
            #expect(Self.count("guess_alarm_ended", in: deployment) == 1)
            #expect(
                try await deployment.auditRows(.guessAlarmRaised, .guessAlarmEnded).map(\.actor) == ["visitor", "idp"])
        }
    }

    @Test("during the alarm an account takes 5 codes per day from unknown browsers; a known browser keeps its 20")
    func fewer() async throws {
        try await TestDeployment.open { deployment in
            let known = deployment.browser()
            let first = try await deployment.asking("ann@example.com", by: known)
            #expect(try await first.guess(first.code).status == 303)
            try await known.signOut(of: deployment)
            try await Self.spray(0..<21, deployment)

            try await deployment.typeWrongCodes(5)
            deployment.clock.advance(by: .minutes(50))
            try await Self.spray(21..<42, deployment)
            deployment.clock.advance(by: .minutes(11))
            try await deployment.forgetEmails(to: "ann@example.com")
            let unknown = try await deployment.asking("ann@example.com")
            #expect(unknown.waiting.text.contains("Too many wrong codes"), "also after the pause of an hour")

            let owner = try await deployment.asking("ann@example.com", by: known)
            for _ in 0..<4 { #expect(try await owner.guess(owner.wrong).status == 422) }
            #expect(try await owner.guess(owner.code).status == 303)
        }
    }
}

extension GuessStore {
    fileprivate func isAlarmed() async throws -> Bool {
        let now = clock.now()
        return try await database.read { try Self.isAlarmed(now: now, $0) }
    }
}
