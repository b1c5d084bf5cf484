import ProbeKit
import SSOWeb
import Storage
import Testing

@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Limits floods from one network, in addition to the budgets of each address (ASVS 2.4.1, 6.3.1), never alone.
@Suite("The limits of one network", .program)
struct NetworkLimitTests {
    private static func settings(_ limits: [String: String] = [:]) -> [String: String] {
        limits.merging(["IDP_TRUSTED_PROXIES": "127.0.0.0/8"]) { one, _ in one }
    }

    static func ask(
        _ address: String, by browser: Browser, from network: String, _ deployment: TestDeployment
    ) async throws -> Visit {
        let from: HTTPProbe.Headers = [("X-Forwarded-For", network)]
        let form = try await browser.get(deployment.origin + "/sign-in", from)
        return try await browser.post(
            form.address, [("form_token", try form.formToken()), ("email", address)], from)
    }

    @Test("200 posts of an address per hour by default: the 21st and the 100th user sign in, the 201st post waits")
    func defaults() async throws {
        try await TestDeployment.open(settings: Self.settings()) { deployment in
            for number in 0..<200 {
                let visit = try await Self.ask(
                    "user-\(number)@example.com", by: deployment.browser(), from: "203.0.113.7", deployment)
                #expect(visit.status == 303)
            }
            let refused = try await Self.ask(
                "ann@example.com", by: deployment.browser(), from: "203.0.113.7", deployment)
            #expect(refused.status == 429)
            #expect(refused.reply.header("retry-after") == "3600")
            #expect(refused.text.contains("60 minutes"))
            let elsewhere = try await Self.ask(
                "ann@example.com", by: deployment.browser(), from: "203.0.113.8", deployment)
            #expect(elsewhere.status == 303)
        }
    }

    @Test("the limit can be set, counts a /64 of IPv6 as one network, and its /48 with four times the limit")
    func addresses() async throws {
        try await TestDeployment.open(settings: Self.settings(["IDP_LIMIT_EMAIL_POSTS": "3"])) { deployment in
            var number = 0
            func statuses(from networks: [String]) async throws -> [Int] {
                var statuses: [Int] = []
                for network in networks {
                    number += 1
                    let visit = try await Self.ask(
                        "user-\(number)@example.com", by: deployment.browser(), from: network, deployment)
                    statuses.append(visit.status)
                }
                return statuses
            }
            let near = try await statuses(from: (0..<3).map { "2001:db8::\($0)" } + ["2001:db8::ffff"])
            #expect(near == [303, 303, 303, 429])
            let site = try await statuses(from: (4..<13).map { "2001:db8:0:\($0)::1" } + ["2001:db8:0:ffff::1"])
            #expect(site == Array(repeating: 303, count: 9) + [429], "the thirteenth of one /48")
            let elsewhere = try await statuses(from: ["2001:db8:1::1"])
            #expect(elsewhere == [303], "another /48 is another site")
        }
    }

    @Test("400 codes per hour, which can be set as well; further codes are not compared")
    func codes() async throws {
        try await TestDeployment.open(settings: Self.settings(["IDP_LIMIT_CODE_POSTS": "10"])) { deployment in
            let from: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.7")]
            func wrongCodes(_ count: Int, for address: String) async throws -> [Int] {
                let browser = deployment.browser()
                let page = try await deployment.waiting(for: address, by: browser)
                let fields = [("form_token", try page.formToken()), ("code", "000000")]
                var statuses: [Int] = []
                for _ in 0..<count { statuses.append(try await browser.post(page.address, fields, from).status) }
                return statuses
            }
            for number in 0..<2 {
                #expect(try await wrongCodes(5, for: "user-\(number)@example.com").allSatisfy { $0 == 422 })
            }
            #expect(try await wrongCodes(1, for: "ann@example.com") == [429])
            #expect(try await deployment.failures(of: "ann@example.com") == 0)
            let elsewhere = try await deployment.asking("ben@example.com")
            #expect(try await elsewhere.guess(elsewhere.code).status == 303)
        }
    }

    @Test("a used code returns its counts: an office of any size signs in behind one address")
    func givenBack() async throws {
        let limits = [
            "IDP_LIMIT_EMAIL_POSTS": "2", "IDP_LIMIT_CODE_POSTS": "2", "IDP_LIMIT_NEW_SESSIONS": "2",
        ]
        try await TestDeployment.open(settings: Self.settings(limits)) { deployment in
            let from: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.7")]
            for number in 0..<6 {
                let (browser, address) = (deployment.browser(), "user-\(number)@example.com")
                let sent = try await Self.ask(address, by: browser, from: "203.0.113.7", deployment)
                #expect(sent.status == 303)
                let code = try await deployment.mailbox.code(to: address)
                let page = try await browser.get(sent.location(), from)
                let fields = [("form_token", try page.formToken()), ("code", code)]
                #expect(try await browser.post(page.address, fields, from).status == 303)
            }
        }
    }

    @Test("a browser that was known and has been ended, or evicted, shares the limits of its network")
    func endedBrowser() async throws {
        try await TestDeployment.open(settings: Self.settings(["IDP_LIMIT_NEW_SESSIONS": "3"])) { deployment in
            /// How many sessions a browser with its known browser cookie begins.
            func sessions(_ browser: Browser) async throws -> Int {
                var count = 0
                for _ in 1...8 {
                    browser.setCookie("idp_session", to: nil, at: "localhost")
                    count += try await browser.get(deployment.origin + "/sign-in").status == 200 ? 1 : 0
                }
                return count
            }
            let owner = try await deployment.signedIn(as: "ann@example.com")
            let evicted = try await deployment.signedIn(as: "ben@example.com")
            #expect(try await sessions(owner) == 3, "a count of its own")
            _ = try await deployment.change(SignOutUser("ann@example.com"))
            try await deployment.stored.knownBrowsers.of("ben@example.com").delete()
            #expect(try await deployment.rows(of: "device") == 0)
            #expect(try await sessions(owner) == 3, "the count of the network")
            #expect(try await sessions(evicted) == 0, "the same count")
            #expect(try await sessions(deployment.browser()) == 0)
        }
    }

    @Test("a visitor without a device cookie costs no look at the table of devices")
    func noStatement() async throws {
        var recorded: RecordingDatabase?
        func wrap(_ database: any Database) -> any Database {
            let wrapped = RecordingDatabase(database)
            recorded = wrapped
            return wrapped
        }
        try await TestDeployment.open(settings: Self.settings(), wrapping: wrap) { deployment in
            let database = try #require(recorded)
            func looks(_ browser: Browser) async throws -> Int {
                _ = database.takeStatements()
                #expect(try await browser.get(deployment.origin + "/sign-in").status == 200)
                return database.takeStatements().count { $0.contains("FROM device") }
            }
            let known = try await deployment.signedIn()
            known.setCookie("idp_session", to: nil, at: "localhost")
            #expect(try await looks(known) == 1)
            #expect(try await looks(known) == 0, "it has a session again")
            #expect(try await looks(deployment.browser()) == 0)
        }
    }

    @Test("a known browser does not count against its network, and signs in while the network's limit is used up")
    func knownBrowser() async throws {
        try await TestDeployment.open(
            settings: Self.settings(["IDP_LIMIT_EMAIL_POSTS": "4", "IDP_LIMIT_NEW_SESSIONS": "9"])
        ) {
            deployment in
            let owner = try await deployment.signedIn(as: "ann@example.com")
            try await owner.signOut(of: deployment)
            for number in 0..<9 {
                _ = try? await Self.ask(
                    "user-\(number)@example.com", by: deployment.browser(), from: "127.0.0.1", deployment)
            }
            #expect(try await deployment.browser().get(deployment.origin + "/sign-in").status == 429)
            let again = try await Self.ask("ann@example.com", by: owner, from: "127.0.0.1", deployment)
            #expect(again.status == 303)
            let otherUser = try await Self.ask("ben@example.com", by: owner, from: "127.0.0.1", deployment)
            #expect(otherUser.status == 429, "known for its own address only")
        }
    }
}
