import SSOShared
import SSOWeb
import Testing

@Suite("One winner")
struct OneWinnerTests {
    /// ASVS 15.4.2, 2.3.4.
    @Test("of a hundred verifications at one instant exactly one succeeds, and the others are told the token is none")
    func hundred() async throws {
        try await House.open { house in
            let ann = try await house.signedIn()
            for round in 1...5 {
                let token = try await ann.token(for: house.partner, of: house, state: "\(round)")
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 1...100 { group.addTask { try await house.verify(token, as: house.partner).status } }
                    return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
                }
                #expect(statuses == [200: 1, 401: 99])
            }
        }
    }

    @Test("a whole signed request that is played again gets nothing")
    func replay() async throws {
        try await House.open { house in
            let token = try await house.signedIn().token(for: house.partner, of: house)
            let body = VerifyRequest(token: token, redirectURI: house.partner.callback).body()
            let headers = try house.signed(body, by: house.partner)
            #expect(try await house.backChannel(body, headers).status == 200)
            for _ in 1...3 { #expect(try await house.backChannel(body, headers).error == "invalid_token") }
        }
    }

    @Test("owner and thief at one instant: never both, and the token is dead afterwards")
    func ownerAndThief() async throws {
        try await House.open(partners: 2) { house in
            let ann = try await house.signedIn()
            for round in 1...10 {
                let token = try await ann.token(for: house.partner, of: house, state: "\(round)")
                async let owner = house.verify(token, as: house.partners[0]).status
                async let thief = house.verify(token, as: house.partners[1]).status
                let (first, second) = (try await owner, try await thief)
                #expect([200, 401].contains(first) && second == 401)
                #expect(try await house.verify(token, as: house.partner).status == 401)
            }
        }
    }

    /// ASVS 15.3.1.
    @Test("the winner learns who has signed in and how, and nothing else")
    func answer() async throws {
        try await House.open { house in
            let token = try await house.signedIn().token(for: house.partner, of: house)
            let reply = try await house.verify(token, as: house.partner, redirectURI: house.partner.callback)
            #expect(reply.all("content-type") == ["application/json"] && reply.all("cache-control") == ["no-store"])
            #expect(reply.all("set-cookie") == [])
            let answer = try VerifyReply(body: reply.body)
            #expect(answer.body() == reply.body)  // not a key more than the type has
            #expect(answer.clientID == house.partner.id)
            #expect(answer.user.email == "ann@example.com" && answer.user.name == "ann")
            #expect(answer.user.id.hasPrefix("usr_") && !answer.user.id.contains("ann"))
            #expect(answer.session.methods == ["email_code"])
            #expect(answer.session.authenticatedAt == Int(house.clock.now.milliseconds / 1000))
            #expect(answer.session.id != house.partner.id && !reply.text.contains(token))
        }
    }
}
