import SSOShared
import SSOWeb
import Testing

@Suite("A new code always has its letter")
struct DeferredLetterTests {
    @Test("a second browser's letter waits for its minute, and its code works there")
    func secondBrowser() async throws {
        try await House.open { house in
            let first = try await house.asking()
            let second = house.visitor()
            let waiting = try await house.waiting(for: "ann@example.com", by: second)
            #expect(try await house.lettersQueued() == 2)
            #expect(try await house.count("SELECT COUNT(*) FROM letter WHERE sent_at IS NOT NULL") <= 1)
            #expect(house.letters.all(to: "ann@example.com").count == 1, "one a minute")

            house.clock.advance(by: .seconds(60))
            let letter = try await house.letters.letter(to: "ann@example.com", count: 2)
            let form = try waiting.page().form(with: "code")
            #expect(try await second.submit(form, on: waiting, ["code": first.code]).status == 422)
            #expect(try await second.submit(form, on: waiting, ["code": letter.code ?? ""]).status == 303)
        }
    }

    @Test("the same browser asking again within the minute gets no second letter: it has the code already")
    func sameBrowser() async throws {
        try await House.open { house in
            let asking = try await house.asking()
            _ = try await house.waiting(for: "ann@example.com", by: asking.visitor)
            #expect(try await house.lettersQueued() == 1)
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("a letter whose time comes after its code has expired is not queued at all")
    func tooLate() async throws {
        try await House.open { house in
            // Five an hour: the sixth would go fifty minutes after its code has died.
            for _ in 0..<6 { _ = try await house.waiting(for: "ann@example.com", by: house.visitor()) }
            #expect(try await house.lettersQueued() == 5)
        }
    }
}
