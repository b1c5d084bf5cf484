import Foundation
import SSOWeb
import Testing

@testable import IdP

@Suite("What others can do to an address, and what they cannot")
struct LockoutTests {
    private static let trusted = ["IDP_TRUSTED_PROXIES": "127.0.0.0/8"]

    private static func ask(
        _ address: String = "ann@example.com", from network: String, _ house: House
    ) async throws -> Visit {
        let visitor = house.visitor()
        let from: HTTPProbe.Headers = [("X-Forwarded-For", network)]
        let form = try await visitor.get(house.origin + "/sign-in", from)
        let sent = try await visitor.post(
            form.address, [("form_token", try form.formToken()), ("email", address)], from)
        return try await visitor.get(sent.location(), from)
    }

    @Test(
        "one network gets three emails an hour and six a day for an address; the rest is kept for networks that come later"
    )
    func keptForOthers() async throws {
        try await House.open(settings: Self.trusted) { house in
            func sent() async throws -> Int { try await house.lettersQueued() }
            for _ in 0..<6 {
                _ = try await Self.ask(from: "203.0.113.7", house)
                house.clock.advance(by: .seconds(61))
            }
            #expect(try await sent() == 3)
            #expect(try await Self.ask(from: "203.0.113.8", house).text.contains("is on its way"))
            #expect(try await sent() == 4)
            for _ in 0..<6 {
                house.clock.advance(by: .minutes(30))
                _ = try await Self.ask(from: "203.0.113.7", house)
            }
            #expect(try await sent() == 6, "the sixth was the last one of this network")
            house.clock.advance(by: .hours(2))
            #expect(try await Self.ask(from: "2001:db8::1", house).text.contains("is on its way"))
            #expect(try await Self.ask(from: "203.0.113.7", house).text.contains("No letter comes now"))
        }
    }

    @Test("tags of one mailbox share their emails, and use up none of the bare address, allowed or not")
    func tags() async throws {
        try await House.open(settings: ["IDP_ALLOWED_EMAILS": "*@example.com, ben@partner.example"]) { house in
            for number in 0..<10 {
                _ = try await house.waiting(for: "ben+\(number)@partner.example", by: house.visitor())
            }
            let ben = try await house.asking("ben@partner.example")
            #expect(try await ben.guess(ben.code).status == 303)
            try await house.execute("DELETE FROM letter")
            for number in 0..<20 {
                _ = try await house.waiting(for: "ann+\(number)@example.com", by: house.visitor())
                house.clock.advance(by: .seconds(61))
            }
            #expect(try await house.count("SELECT COUNT(*) FROM letter WHERE challenge_id IS NOT NULL") == 5)
            #expect(try await house.count("SELECT COUNT(DISTINCT address) FROM letter") == 1)
            let owner = try await house.asking("ann@example.com")
            #expect(try await owner.guess(owner.code).status == 303)
        }
    }

    @Test("twenty guesses in one burst count as five: only one of the emails has left by then")
    func burst() async throws {
        try await House.open { house in
            try await house.attack(browsers: 4)
            #expect(try await house.failures() == 5)
            house.clock.advance(by: .seconds(61 * 4))
            _ = try await house.letters.letter(to: "ann@example.com", count: 4)
            let owner = try await house.asking()
            #expect(try await owner.guess(owner.code).status == 303)
        }
    }

    @Test(
        "guesses at codes of a mail server that cannot be reached do not pause the account, and are bounded all the same"
    )
    func unsent() async throws {
        try await House.open { house in
            try LetterQueueTests.breakMail(of: house)
            _ = try await house.waiting(for: "first@example.com", by: house.visitor())
            try await eventually("the outage is noticed") { try await house.rows(of: "mail_outage") == 1 ? () : nil }
            for address in ["ann@example.com", "nobody@elsewhere.example"] {
                var texts: [String] = []
                for _ in 0..<5 {
                    try await house.forgetEmails(to: address)
                    let visitor = house.visitor()
                    let waiting = try await house.waiting(for: address, by: visitor)
                    for _ in 0..<5 {
                        let form = try waiting.page().form(with: "code")
                        let guess = try await visitor.submit(form, on: waiting, ["code": "000000"])
                        #expect(guess.status == 422)
                        texts.append(guess.text.contains("has not left yet") ? "not left" : "wrong")
                    }
                }
                #expect(texts == Array(repeating: "wrong", count: 20) + Array(repeating: "not left", count: 5))
                try await house.forgetEmails(to: address)
                let page = try await house.waiting(for: address, by: house.visitor())
                #expect(!page.text.contains("Typing codes is paused"))
            }
        }
    }

    @Test("refused guesses never prolong a pause")
    func notRenewed() async throws {
        try await House.open { house in
            let asking = try await house.asking()
            try await house.typeWrongCodes(20)
            for _ in 0..<6 {
                house.clock.advance(by: .minutes(9))
                _ = try await asking.guess(asking.code)
            }
            #expect(try await house.failures() == 20)
            house.clock.advance(by: .minutes(6))
            try await house.forgetEmails(to: "ann@example.com")
            let fresh = try await house.asking()
            #expect(try await fresh.guess(fresh.code).status == 303, "an hour after the twentieth")
        }
    }

    @Test("a code that a process of the version before has sent still works")
    func rollingUpgrade() async throws {
        try await House.open { house in
            let asking = try await house.asking()
            try await house.execute("UPDATE challenge SET email_id = NULL")
            try await house.execute("DELETE FROM letter")
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }
}
