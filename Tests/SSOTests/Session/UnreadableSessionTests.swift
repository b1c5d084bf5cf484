import SSOWeb
import Testing

@testable import TestSupport

@Suite("A session of another version")
struct UnreadableSessionTests {
    @Test("slots that cannot be read make a stranger, never an error", arguments: ["", "{", "[]", #"{"sso":7}"#])
    func unreadable(slots: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            try await deployment.database.write { connection in
                try connection.execute("UPDATE session SET slots = :slots", ["slots": .text(slots)])
            }
            #expect(try await !browser.isKnownAtHome(of: deployment))
            #expect(try await browser.get(deployment.origin + "/sign-in").status == 200)
        }
    }
}
