import Testing

/// A brake on spraying beside the counts by account (ASVS 2.4.1, 6.3.1), never the only guard of anything.
@Suite("How often one network may ask and guess")
struct NetworkLimitTests {
    private static let settings = ["IDP_TRUSTED_PROXIES": "127.0.0.0/8"]

    @Test("thirty posts an hour, of which twenty letters: asking again for the same code makes none")
    func postsAndLetters() async throws {
        try await House.open(settings: Self.settings) { house in
            let from: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.7")]
            let visitor = house.visitor()
            func ask(_ address: String) async throws -> Int {
                let form = try await visitor.get(house.origin + "/sign-in")
                let fields = [("form_token", try form.formToken()), ("email", address)]
                return try await visitor.post(form.address, fields, from).status
            }
            for _ in 0..<20 { #expect(try await ask("ann@example.com") == 303) }
            for number in 0..<10 { #expect(try await ask("person-\(number)@example.com") == 303) }
            let beyond = try await ask("ann@example.com")
            #expect(beyond == 429)
        }
    }

    @Test("twenty addresses an hour, counted by the /64 of IPv6, and the page says when to come back")
    func addresses() async throws {
        try await House.open(settings: Self.settings) { house in
            func ask(_ number: Int, from network: String) async throws -> Visit {
                let visitor = house.visitor()
                let form = try await visitor.get(house.origin + "/sign-in")
                let fields = [("form_token", try form.formToken()), ("email", "person-\(number)@example.com")]
                return try await visitor.post(form.address, fields, [("X-Forwarded-For", network)])
            }
            for number in 0..<20 { #expect(try await ask(number, from: "2001:db8::\(number)").status == 303) }
            let refused = try await ask(20, from: "2001:db8::ffff")
            #expect(refused.status == 429)
            #expect(refused.reply.header("retry-after") == "3600")
            #expect(refused.text.contains("60 minutes"))
            #expect(try await ask(21, from: "2001:db8:0:1::1").status == 303, "another /64 is another network")
        }
    }

    @Test("sixty codes an hour, over however many accounts; what is beyond is not looked at")
    func codes() async throws {
        try await House.open(settings: Self.settings) { house in
            let from: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.7")]
            func wrongCodes(_ count: Int, for address: String) async throws -> [Int] {
                let visitor = house.visitor()
                let page = try await house.waiting(for: address, by: visitor)
                let fields = [("form_token", try page.formToken()), ("code", "000000")]
                var statuses: [Int] = []
                for _ in 0..<count { statuses.append(try await visitor.post(page.address, fields, from).status) }
                return statuses
            }
            for number in 0..<12 {
                #expect(try await wrongCodes(5, for: "person-\(number)@example.com").allSatisfy { $0 == 422 })
            }
            #expect(try await wrongCodes(1, for: "ann@example.com") == [429])
            #expect(try await house.failures(of: "ann@example.com") == 0)
            let elsewhere = try await house.asking("ben@example.com")
            #expect(try await elsewhere.guess(elsewhere.code).status == 303)
        }
    }
}
