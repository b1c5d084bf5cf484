import SSOShared
import Testing

@Suite("The whole way, both programs in one process")
struct SignInFlowTests {
    @Test("a person signs in at a partner with a code from a letter")
    func firstSignIn() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let complete = try await visitor.signIn(at: house.partner, of: house, as: "ann@example.com")
            #expect(complete.text.contains("Authentication complete"))
            let home = try await visitor.follow(visitor.get(complete.callback()))
            #expect(home.address.absolute == house.partner.origin + "/")
            #expect(try await visitor.isSignedIn(at: house.partner))
        }
    }

    @Test("a token works once")
    func singleUse() async throws {
        try await House.open { house in
            let token = try await house.signedIn().token(for: house.partner, of: house)
            #expect(try await house.verify(token, as: house.partner).status == 200)
            #expect(try await house.verify(token, as: house.partner).status == 401)
        }
    }
}
