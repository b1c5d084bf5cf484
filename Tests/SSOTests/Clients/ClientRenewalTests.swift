import SSOShared
import SSOWeb
import Synchronization
import Testing

@testable import IdPClients
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Readings of the clients before a request is refused", .program)
struct ClientRenewalTests {
    private final class Begun: Sendable {
        let moments = Mutex<[ContinuousClock.Instant]>([])
    }

    @Test("a flood shares one reading in an interval; each request gets one that begins after it")
    func flood() async throws {
        let reading = PacedReading(every: .milliseconds(300))
        let begun = Begun()
        await withTaskGroup { group in
            for _ in 0..<PacedReading.maximumWaiting {
                group.addTask {
                    let asked = ContinuousClock.now
                    await reading.wait { begun.moments.withLock { $0.append(.now) } }
                    let last = begun.moments.withLock(\.last)
                    #expect(last.map { $0 >= asked } == true)
                }
            }
        }
        #expect((1...20).contains(begun.moments.withLock(\.count)), "of 64")
    }

    /// Ends when the test says so.
    private final class Stuck: Sendable {
        private let state = Mutex((waiting: [CheckedContinuation<Void, Never>](), isOver: false))

        func wait() async {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting.append(continuation) }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        }

        func end() {
            let waiting = state.withLock { state in
                state.isOver = true
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    @Test("while the database does not answer, 64 requests wait for a reading, and no other one")
    func bounded() async throws {
        let (reading, stuck) = (PacedReading(every: .zero), Stuck())
        await withTaskGroup { group in
            for _ in 0..<500 { group.addTask { await reading.wait { await stuck.wait() } } }
            for _ in 0..<(500 - PacedReading.maximumWaiting) { await group.next() }
            stuck.end()
            var waited = 0
            for await _ in group { waited += 1 }
            #expect(waited == PacedReading.maximumWaiting)
        }
    }

    @Test(
        "a caller that has had its share does not wait while the last reading is young, and gets one when there is none"
    )
    func share() async throws {
        let (reading, begun) = (PacedReading(every: .zero), Begun())
        func wait(needsNew: Bool) async -> Int {
            await reading.wait(needsNew: needsNew) { begun.moments.withLock { $0.append(.now) } }
            return begun.moments.withLock(\.count)
        }
        #expect(await wait(needsNew: false) == 1)
        #expect(await wait(needsNew: false) == 1)
        #expect(await wait(needsNew: true) == 2)
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
            // One that reads, and one that compares.
            let right = database.takeStatements().filter { $0.contains("registry_revision") }
            #expect(right.map { $0.prefix(6) } == ["SELECT", "UPDATE"])
        }
    }
}
