import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// One rule in one place: named by `IDP_ALLOWED_EMAILS` or added, not disabled, not past the end date.
@Suite("Who may sign in: named or added, not disabled, not past the end date", .program)
struct AddedAccountTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let isNamed, isAdded, isDisabled, isErasing: Bool
        /// Days from now to the end; nil without one.
        let end: Int?

        var mayTryToSignIn: Bool { (isNamed || isAdded) && !isDisabled && !isErasing && end.map { $0 > 0 } ?? true }
        var address: String { isNamed ? "ann@example.com" : "ann@elsewhere.org" }
        var testDescription: String {
            "named \(isNamed), added \(isAdded), disabled \(isDisabled), erasing \(isErasing), end \(end.map(String.init) ?? "-")"
        }
    }

    static let rows: [Row] = [false, true].flatMap { isNamed in
        [false, true].flatMap { isAdded in
            [(false, false), (true, false), (false, true)].flatMap { state in
                [nil, 1, -1].map { end in
                    Row(isNamed: isNamed, isAdded: isAdded, isDisabled: state.0, isErasing: state.1, end: end)
                }
            }
        }
    }

    private static func write(_ row: Row, _ deployment: TestDeployment) async throws {
        let now = deployment.clock.now
        try await deployment.stored.accounts.add(
            AddedAccount(
                "usr_row", row.address, name: "Ann", isDisabled: row.isDisabled, isAdded: row.isAdded,
                endsAt: row.end.map { now + .days($0) }, erasedAt: row.isErasing ? now + .days(3) : nil))
    }

    @Test("the eligibility, the email and the code agree on each row of the table")
    func table() async throws {
        #expect(Self.rows.count == 36)
        try await TestDeployment.open { deployment in
            for row in Self.rows {
                try await deployment.stored.deleteAll(of: "account", "account_identity", "mail_queue", "device")
                try await Self.write(row, deployment)
                let eligibility = SignInEligibility(
                    allowed: try AllowedEmails("*@example.com"), clock: deployment.clock.clock)
                let account = try #require(try await deployment.listed(row.address)?.account)
                #expect(eligibility.maySignIn(account) == row.mayTryToSignIn, "\(row)")
                let browser = deployment.browser()
                guard row.mayTryToSignIn else {
                    let waiting = try await deployment.waiting(for: row.address, by: browser)
                    #expect(waiting.status == 200 && waiting.text.contains("six-digit code"), "\(row)")
                    #expect(try await deployment.stored.emails.real.count() == 0, "\(row)")
                    #expect(try await deployment.stored.emails.decoys.count() == 1, "\(row)")
                    continue
                }
                let asking = try await deployment.asking(row.address, by: browser)
                #expect(try await asking.guess(asking.code).status == 303, "\(row)")
                #expect(try await browser.isSignedInOnHomePage(of: deployment), "\(row)")
            }
        }
    }

    @Test("a session and a token of an account end with its end date, and clients that ask get an error")
    func endDate() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let token = try await browser.token(for: deployment.client, of: deployment)
            let other = try await browser.token(for: deployment.client, of: deployment, state: "other")
            try await deployment.change(SetEndDate("ann@example.com", to: deployment.clock.now + .minutes(1)))
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            deployment.clock.advance(by: .seconds(61))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.verify(other, as: deployment.client).error == "invalid_token")
            #expect(try await deployment.listed("ann@example.com")?.state == .ended)
        }
    }

    @Test("a job ends the sign-ins of an overdue account once, and a later end date lets it sign in again")
    func overdue() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            try await deployment.change(SetEndDate("ann@example.com", to: deployment.clock.now + .days(1)))
            let job = AccountDeadlines(
                deployment.database, of: .builtIn, clock: deployment.clock.clock, randomness: SystemRandomness(),
                logger: deployment.log.logger("job"))
            #expect(try await job.end(limit: 10) == 0)
            deployment.clock.advance(by: .days(1))
            #expect(try await job.end(limit: 10) == 1)
            #expect(try await job.end(limit: 10) == 0)
            #expect(try await deployment.stored.accounts.signOuts() == 1)
            #expect(try await deployment.rows(of: "device") == 0)
            #expect(
                try await deployment.stored.audit.cause("end_date_over").actor("idp").count() == 1)
            let lines = deployment.log.text.split(separator: "\n").filter { $0.contains("user_changed") }
            #expect(lines.count == 1 && lines[0].contains("\"cause\": end_date_over"), "\(lines)")
            try await deployment.change(SetEndDate("ann@example.com", to: nil))
            #expect(try await deployment.signedIn().isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a later end date gives nothing back that the one before has ended, whether or not the job has seen it")
    func later() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            try await deployment.change(SetEndDate("ann@example.com", to: deployment.clock.now + .minutes(1)))
            deployment.clock.advance(by: .minutes(2))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            try await deployment.change(SetEndDate("ann@example.com", to: deployment.clock.now + .days(1)))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.stored.accounts.signOuts() == 1)
            #expect(try await deployment.stored.audit.cause("end_date_over").count() == 1)
            // The new date has not ended anything, so another one ends nothing either.
            try await deployment.change(SetEndDate("ann@example.com", to: nil))
            #expect(try await deployment.stored.accounts.signOuts() == 1)
        }
    }

    @Test("an end date in the past is refused; the same one again changes nothing")
    func past() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            let now = deployment.clock.now
            let refusal = try await deployment.refusal(of: SetEndDate("ann@example.com", to: now - .days(1)))
            #expect(refusal?.contains("is in the past") == true)
            let end = now + .days(2)
            #expect(try await deployment.isChanged(by: SetEndDate("ann@example.com", to: end)))
            deployment.clock.advance(by: .days(3))
            #expect(try await !deployment.isChanged(by: SetEndDate("ann@example.com", to: end)))
        }
    }

    @Test("each sign-in gives the account the language of its browser")
    func language() async throws {
        try await TestDeployment.open { deployment in
            let german = deployment.browser(language: "de")
            let asking = try await deployment.asking("ann@example.com", by: german)
            #expect(try await asking.guess(asking.code).status == 303)
            #expect(try await deployment.listed("ann@example.com")?.account.language == .german)
            deployment.clock.advance(by: .minutes(2))
            let again = try await deployment.asking("ann@example.com", by: deployment.browser(language: "en"))
            #expect(try await again.guess(again.code).status == 303)
            #expect(try await deployment.listed("ann@example.com")?.account.language == .english)
        }
    }
}

@Suite("The form of end dates", .program)
struct EndDateTests {
    @Test(
        "a day holds to its end in UTC, in leap years, too",
        arguments: [
            ("1970-01-01", 86_400), ("2000-02-29", 951_868_800), ("2024-02-29", 1_709_251_200),
            ("2026-12-31", 1_798_761_600),
            ("2027-01-31", 1_801_440_000),
        ])
    func days(text: String, end: Int) {
        let read = EndDate.read(text)
        #expect(read?.seconds == end)
        #expect(read.map(EndDate.text) == text)
    }

    @Test(
        "anything else is not a day",
        arguments: [
            "", "2027-02-29", "2027-13-01", "2027-00-10", "2027-1-01", "27-01-01", "2027-01-32", "2027/01/01",
            "2027-01-01T00:00",
            "1969-12-31", "٢٠٢٧-01-01", " 2027-01-01", "never",
        ])
    func wrong(text: String) { #expect(EndDate.read(text) == nil) }
}
