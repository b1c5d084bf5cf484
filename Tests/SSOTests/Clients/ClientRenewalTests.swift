import SSOShared
import SSOWeb
import Synchronization
import Testing

@testable import IdP
@testable import IdPDirectory
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Readings of the clients before a request is refused")
struct ClientRenewalTests {
    private final class Begun: Sendable {
        let moments = Mutex<[ContinuousClock.Instant]>([])
    }

    @Test("a flood shares one reading in an interval; each request gets one that begins after it")
    func flood() async throws {
        let reading = PacedReading(every: .milliseconds(300))
        let begun = Begun()
        await withTaskGroup { group in
            for _ in 0..<500 {
                group.addTask {
                    let asked = ContinuousClock.now
                    await reading.wait { begun.moments.withLock { $0.append(.now) } }
                    let last = begun.moments.withLock(\.last)
                    #expect(last.map { $0 >= asked } == true)
                }
            }
        }
        #expect((1...50).contains(begun.moments.withLock(\.count)), "of 500")
    }

    @Test("requests with wrong signatures cost no statement but those of the shared readings, and right ones cost none")
    func statements() async throws {
        var recorded: RecordingDatabase?
        try await TestDeployment.open(wrapping: {
            let database = RecordingDatabase($0)
            recorded = database
            return database
        }) { deployment in
            let database = try #require(recorded)
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            _ = database.takeStatements()
            let wrong = AddedClient(deployment.client.id)
            #expect(try await deployment.redeem(token, as: wrong).status == 401)
            #expect(database.takeStatements().count { $0.contains("registry_revision") } == 1)
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            #expect(database.takeStatements().count { $0.contains("registry_revision") } == 1)
        }
    }
}
