import Foundation
import ProbeKit
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("What other users can do to an address, and what they cannot", .program, .alsoOnPostgres)
struct LockoutTests {
    private static let trusted = ["IDP_TRUSTED_PROXIES": "127.0.0.0/8"]

    private static func ask(
        _ address: String = "ann@example.com", from network: String, _ deployment: TestDeployment
    ) async throws -> Visit {
        let browser = deployment.browser()
        let from: HTTPProbe.Headers = [("X-Forwarded-For", network)]
        let form = try await browser.get(deployment.origin + "/sign-in", from)
        let sent = try await browser.post(
            form.address, [("form_token", try form.formToken()), ("email", address)], from)
        return try await browser.get(sent.location(), from)
    }

    @Test(
        "one network gets three emails per hour and six per day for an address; the rest is kept for other networks"
    )
    func keptForOthers() async throws {
        try await TestDeployment.open(settings: Self.trusted) { deployment in
            func sent() async throws -> Int { try await deployment.emailsQueued() }
            for _ in 0..<6 {
                _ = try await Self.ask(from: "203.0.113.7", deployment)
                deployment.clock.advance(by: .seconds(61))
            }
            #expect(try await sent() == 3)
            #expect(try await Self.ask(from: "203.0.113.8", deployment).text.contains("This can take a minute"))
            #expect(try await sent() == 4)
            for _ in 0..<6 {
                deployment.clock.advance(by: .minutes(30))
                _ = try await Self.ask(from: "203.0.113.7", deployment)
            }
            #expect(try await sent() == 6, "the sixth was the last one for this network")
            deployment.clock.advance(by: .hours(2))
            #expect(try await Self.ask(from: "2001:db8::1", deployment).text.contains("This can take a minute"))
            #expect(try await Self.ask(from: "203.0.113.7", deployment).text.contains("send a code to"))
        }
    }

    @Test("tags of one mailbox share one budget of emails, and use none of the bare address's budget, allowed or not")
    func tags() async throws {
        try await TestDeployment.open(settings: ["IDP_ALLOWED_EMAILS": "*@example.com, ben@client.example"]) {
            deployment in
            for number in 0..<10 {
                _ = try await deployment.waiting(for: "ben+\(number)@client.example", by: deployment.browser())
            }
            let ben = try await deployment.asking("ben@client.example")
            #expect(try await ben.guess(ben.code).status == 303)
            try await deployment.stored.deleteAll(of: "mail_queue")
            for number in 0..<20 {
                _ = try await deployment.waiting(for: "ann+\(number)@example.com", by: deployment.browser())
                deployment.clock.advance(by: .seconds(61))
            }
            let codes = deployment.stored.emails.ofKind("email_code")
            #expect(try await codes.real.count() == 5)
            #expect(try await codes.addresses().count == 1)
            let owner = try await deployment.asking("ann@example.com")
            #expect(try await owner.guess(owner.code).status == 303)
        }
    }

    @Test("twenty guesses at once count as five: only one of the emails has been sent by then")
    func burst() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.attack(browsers: 4)
            #expect(try await deployment.failures() == 5)
            deployment.clock.advance(by: .seconds(61 * 4))
            _ = try await deployment.mailbox.email(to: "ann@example.com", count: 4)
            let owner = try await deployment.asking()
            #expect(try await owner.guess(owner.code).status == 303)
        }
    }

    @Test(
        "guesses at codes do not pause the account while the mail server is unreachable, and are limited all the same"
    )
    func unsent() async throws {
        try await TestDeployment.open { deployment in
            try deployment.mailbox.block()
            _ = try await deployment.waiting(for: "first@example.com", by: deployment.browser())
            try await eventually("the outage is noticed") {
                try await deployment.rows(of: "mail_outage") == 1 ? () : nil
            }
            for address in ["ann@example.com", "nobody@elsewhere.example"] {
                var texts: [String] = []
                for _ in 0..<5 {
                    try await deployment.forgetEmails(to: address)
                    let browser = deployment.browser()
                    let waiting = try await deployment.waiting(for: address, by: browser)
                    for _ in 0..<5 {
                        let form = try waiting.page().form(with: "code")
                        let guess = try await browser.submit(form, on: waiting, ["code": "000000"])
                        #expect(guess.status == 422)
                        texts.append(guess.text.contains("been sent yet") ? "not left" : "wrong")
                    }
                }
                #expect(texts == Array(repeating: "wrong", count: 20) + Array(repeating: "not left", count: 5))
                try await deployment.forgetEmails(to: address)
                let page = try await deployment.waiting(for: address, by: deployment.browser())
                #expect(!page.text.contains("Too many wrong codes"))
            }
        }
    }

    @Test("refused guesses never prolong a pause")
    func notRenewed() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            try await deployment.typeWrongCodes(20)
            for _ in 0..<6 {
                deployment.clock.advance(by: .minutes(9))
                _ = try await asking.guess(asking.code)
            }
            #expect(try await deployment.failures() == 20)
            deployment.clock.advance(by: .minutes(6))
            try await deployment.forgetEmails(to: "ann@example.com")
            let fresh = try await deployment.asking()
            #expect(try await fresh.guess(fresh.code).status == 303, "an hour after the twentieth")
        }
    }
}
