import Testing

@Suite("A hundred at the same instant")
struct GuessRaceTests {
    @Test("of 100 wrong guesses at one code five are looked at, and then the right one is refused")
    func oneCode() async throws {
        try await House.open { house in
            let asking = try await house.asking()
            let replies = try await atOnce(100) { _ in try await asking.guess(asking.wrong).status }
            #expect(replies.allSatisfy { $0 == 422 })
            #expect(try await house.failures() == 5)
            #expect(try await asking.guess(asking.code).status == 422)
            #expect(try await !asking.visitor.isKnownAtHome(of: house))
        }
    }

    /// ZITADEL CVE-2023-47111, Keycloak CVE-2024-4629: the count was read before it was raised.
    @Test("of 100 wrong guesses in 25 browsers, three before an account pauses, three are looked at")
    func accountEdge() async throws {
        try await House.open { house in
            try await house.typeWrongCodes(17)
            var browsers: [(Visitor, Visit)] = []
            for _ in 0..<25 {
                try await house.forgetEmails(to: "ann@example.com")
                let visitor = house.visitor()
                browsers.append((visitor, try await house.waiting(for: "ann@example.com", by: visitor)))
            }
            let ready = browsers
            let statuses = try await atOnce(100) { index in
                let (visitor, waiting) = ready[index % 25]
                return try await visitor.submit(waiting.page().form(with: "code"), on: waiting, ["code": "000000"])
                    .status
            }
            #expect(statuses.allSatisfy { $0 == 422 || $0 == 429 })
            #expect(statuses.contains(429))
            #expect(try await house.failures() == 20)
        }
    }

    /// ASVS 6.5.1: used once.
    @Test("of 100 right codes one signs in, and there is one session")
    func rightCodes() async throws {
        try await House.open { house in
            let asking = try await house.asking()
            let twins = (0..<100).map { _ in asking.visitor.twin() }
            let replies = try await atOnce(100) { index in
                try await Asking(visitor: twins[index], waiting: asking.waiting, code: asking.code).guess(asking.code)
            }
            #expect(replies.allSatisfy { $0.status == 303 || (400..<500).contains($0.status) })
            #expect(replies.count { !$0.reply.all("set-cookie").isEmpty } == 1)
            #expect(try await house.count("SELECT COUNT(*) FROM session WHERE slots LIKE '%accountID%'") == 1)
            var signedIn = 0
            for twin in twins where try await twin.isKnownAtHome(of: house) { signedIn += 1 }
            #expect(signedIn == 1)
            // None of them was a guess.
            #expect(try await house.failures() == 0)
        }
    }
}
