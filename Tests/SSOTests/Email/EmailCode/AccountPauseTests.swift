import Glibc
import ProbeKit
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Twenty wrong codes in a day pause an account", .program, .alsoOnPostgres)
struct AccountPauseTests {
    private static let words = "Too many wrong codes. Try again in"

    @Test("the twentieth pauses typing for an hour, the page reports it, and afterwards the right code works")
    func pause() async throws {
        try await TestDeployment.open { deployment in
            for _ in 0..<4 {
                let asking = try await deployment.asking()
                for _ in 0..<5 { #expect(try await asking.guess(asking.wrong).status == 422) }
                deployment.clock.advance(by: .seconds(61))
            }
            deployment.clock.advance(by: .seconds(3600 - 61 - 1))
            let asking = try await deployment.asking()
            let refused = try await asking.browser.get(asking.waiting.address)
            #expect(refused.status == 200)
            #expect(refused.text.contains("\(Self.words) <span class=\"unit\"><bdi>1 second</bdi>.</span>"))
            #expect(try refused.page().form(with: "code") == nil)

            let fields = try asking.browser.formToken(of: refused)
            let postDuringPause = try await asking.browser.post(refused.address, fields + [("code", asking.code)])
            #expect(postDuringPause.status == 429)
            #expect(postDuringPause.reply.header("retry-after") == "1")
            deployment.clock.advance(by: .seconds(1))
            #expect(try await asking.browser.post(refused.address, fields + [("code", asking.code)]).status == 303)
            #expect(try await asking.browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("the page of the twentieth wrong code reports the pause, not only the next page")
    func named() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.typeWrongCodes(19)
            try await deployment.forgetEmails(to: "ann@example.com")
            let browser = deployment.browser()
            let waiting = try await deployment.waiting(for: "ann@example.com", by: browser)
            let form = try waiting.page().form(with: "code")
            let twentieth = try await browser.submit(form, on: waiting, ["code": "000000"])
            #expect(twentieth.status == 422)
            #expect(twentieth.text.contains("\(Self.words) <span class=\"unit\"><bdi>60 minutes</bdi>.</span>"))
        }
    }

    /// NIST SP 800-63B-4 3.2.2: nothing that the attacker can do alone resets the count.
    @Test(
        "no new browser, code, spelling of the address or network resets the count",
        arguments: ["ann@example.com", "ANN@Example.Com"], [nil, "127.0.1.9"])
    func notReset(address: String, source: String?) async throws {
        try await TestDeployment.open { deployment in
            try await deployment.typeWrongCodes(20)
            deployment.clock.advance(by: .seconds(61))
            let browser = deployment.browser(from: source)
            let page = try await deployment.waiting(for: address, by: browser)
            #expect(page.text.contains(Self.words))
            #expect(try await deployment.failures() == 20)

            let ben = try await deployment.asking("ben@example.com")
            #expect(try await ben.guess(ben.code).status == 303, "another account is not affected")
        }
    }

    @Test("a successful sign-in in between does not reset the count")
    func notResetBySuccess() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.typeWrongCodes(19)
            deployment.clock.advance(by: .hours(2))
            let owner = try await deployment.asking()
            #expect(try await owner.guess(owner.code).status == 303)
            #expect(try await deployment.failures() == 19)
            try await deployment.typeWrongCodes(1)
            #expect(try await deployment.isPaused("ann@example.com"))
        }
    }

    @Test("after the pause each further wrong code costs another hour, until the day has passed")
    func afterThePause() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.typeWrongCodes(20)
            deployment.clock.advance(by: .hours(1))
            try await deployment.typeWrongCodes(1)
            #expect(try await deployment.isPaused("ann@example.com"))
            deployment.clock.advance(by: .hours(24))
            try await deployment.typeWrongCodes(19)
            #expect(try await !deployment.isPaused("ann@example.com"))
        }
    }

    @Test("the pause survives a killed process", arguments: [SIGKILL])
    func restart(signal: Int32) async throws {
        let pair = try ProcessDeployment()
        try await pair.start()
        let database = try await SQLiteDatabase(path: pair.databasePath, migrations: IdPMigrations.all)
        for _ in 0..<4 {
            let browser = Browser()
            let waiting = try await browser.ask(for: "ann@example.com", on: browser.get(pair.origin + "/sign-in"))
            for _ in 0..<5 {
                let form = try waiting.page().form(with: "code")
                let guess = try await browser.submit(form, on: waiting, ["code": "000000"])
                #expect(guess.status == 422 || guess.status == 429)
            }
            // The next browser's email is sent immediately.
            try await database.stored.emails.age(by: .days(2))
        }
        await database.close()
        pair.idp.send(signal)
        _ = try await pair.idp.waitForExit()
        try await pair.idp.start()
        let browser = Browser()
        let page = try await browser.ask(for: "ann@example.com", on: browser.get(pair.origin + "/sign-in"))
        #expect(page.text.contains(Self.words))
        try await pair.stop()
    }
}

extension TestDeployment {
    /// Whether the code page says that typing is paused.
    fileprivate func isPaused(_ address: String) async throws -> Bool {
        try await waiting(for: address, by: browser()).text.contains("Too many wrong codes")
    }
}
