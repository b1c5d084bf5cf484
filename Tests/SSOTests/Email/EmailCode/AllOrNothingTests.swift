import ProbeKit
import SSOWeb
import Storage
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("Signing in is one transaction", .program, .alsoOnPostgres)
struct AllOrNothingTests {
    @Test("an error after the right code does not use it up: the same code works afterwards")
    func faultAfterTheCode() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            // The new session's row is written last: this write fails.
            try await deployment.stored.refuseRows(in: "session")
            #expect(try await asking.guess(asking.code).status >= 500)
            #expect(try await deployment.stored.challenges.used.count() == 0)
            #expect(try await deployment.rows(of: "account") == 0)
            try await deployment.stored.takeRows(in: "session")
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }
}
