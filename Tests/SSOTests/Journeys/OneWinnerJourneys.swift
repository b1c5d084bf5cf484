import SSOShared
import Testing

extension Journeys {
    @Suite("One winner, over three IdP processes on one database")
    struct OneWinner {
        @Test("of 100 verifications at once, exactly one succeeds", .timeLimit(.minutes(3)))
        func ofVerifications() async throws {
            try await ProgramPair.running(ProgramPair(idps: 3)) { pair in
                let visitor = Visitor()
                _ = try await visitor.signIn(at: pair.partner, of: pair, as: "ann@example.com")
                for round in 1...5 {
                    let token = try await visitor.token(for: pair.partner, of: pair, state: "round-\(round)")
                    let replies = try await atOnce(100) { index in
                        try await pair.verify(token, as: pair.partner, at: pair.idps[index % 3])
                    }
                    let statuses = replies.map(\.status)
                    #expect(statuses.filter { $0 == 200 }.count == 1)
                    #expect(statuses.filter { $0 == 401 }.count == 99)
                }
            }
        }

        @Test("of 100 posts of the right code at once, exactly one signs in", .timeLimit(.minutes(3)))
        func ofCodes() async throws {
            try await ProgramPair.running(ProgramPair(idps: 3)) { pair in
                let visitor = Visitor()
                let waiting = try await visitor.ask(for: "ann@example.com", on: visitor.beginSignIn(at: pair.partner))
                let code = try await pair.letters.code(to: "ann@example.com")
                let form = try waiting.page().form(with: "code")
                let twins = (0..<100).map { visitor.twin(routes: pair.routes(to: $0 % 3)) }
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
            "of 100 wrong guesses at once, no more than five are looked at, and then the right one is refused",
            .timeLimit(.minutes(3)))
        func ofGuesses() async throws {
            try await ProgramPair.running(ProgramPair(idps: 3)) { pair in
                let visitor = Visitor()
                let waiting = try await visitor.ask(for: "ann@example.com", on: visitor.beginSignIn(at: pair.partner))
                let code = try await pair.letters.code(to: "ann@example.com")
                let wrong = code == "000000" ? "000001" : "000000"
                let form = try waiting.page().form(with: "code")
                let replies = try await atOnce(100) { index in
                    try await visitor.twin(routes: pair.routes(to: index % 3)).submit(
                        form, on: waiting, ["code": wrong])
                }
                #expect(replies.allSatisfy { (400..<500).contains($0.status) || $0.status == 303 })
                let last = try await visitor.submit(form, on: waiting, ["code": code])
                #expect(last.status < 500)
                #expect(try await !visitor.isSignedIn(at: pair))
            }
        }
    }
}

/// Runs `work` so many times at the same moment and answers all results.
func atOnce<Result: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: Result.self) { group in
        for index in 0..<count { group.addTask { try await work(index) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
