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
            let refusal = DeploymentDatabases.refusal(of: "session")
            try await deployment.database.write { for sql in refusal.begin { try $0.execute(sql) } }
            #expect(try await asking.guess(asking.code).status >= 500)
            #expect(try await deployment.count("SELECT COUNT(*) FROM challenge WHERE used_at IS NOT NULL") == 0)
            #expect(try await deployment.count("SELECT COUNT(*) FROM account") == 0)
            try await deployment.database.write { try $0.execute(refusal.end) }
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }
}
