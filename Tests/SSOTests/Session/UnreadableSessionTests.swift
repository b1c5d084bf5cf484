import SSOWeb
import Testing

@Suite("A session of another version")
struct UnreadableSessionTests {
    @Test("slots that cannot be read make a stranger, never an error", arguments: ["", "{", "[]", #"{"sso":7}"#])
    func unreadable(slots: String) async throws {
        try await House.open { house in
            let visitor = try await house.signedIn()
            try await house.database.write { connection in
                try connection.execute("UPDATE session SET slots = :slots", ["slots": .text(slots)])
            }
            #expect(try await !visitor.isKnownAtHome(of: house))
            #expect(try await visitor.get(house.origin + "/sign-in").status == 200)
        }
    }
}
