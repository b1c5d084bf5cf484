import SSOShared
import Storage
import Testing

@testable import IdPSignOut
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Threat 306.
@Suite("Clients that accept connections and never answer", .program)
struct HangingClientTests {
    /// How often the sender looks, and how long a try of a client that hangs takes.
    fileprivate static let look: Duration = .milliseconds(250)
    fileprivate static let tryLasts: Duration = .seconds(5)

    /// The queue with 40 messages for each of 20 clients that hang, as time goes on.
    private final class Trial {
        let scene: SignOutScene
        let failing = FailingClients()
        private(set) var told: Timestamp?
        private var hanging: [(message: QueuedSignOut, until: Timestamp)] = []
        private(set) var mostHanging = 0

        init(_ scene: SignOutScene) { self.scene = scene }

        /// One look of the sender, and what the tries that end have for a result.
        func step() async throws {
            scene.clock.advance(by: HangingClientTests.look)
            let now = scene.clock.now
            let ended = hanging.filter { $0.until <= now }
            hanging.removeAll { $0.until <= now }
            let queue = scene.signOuts.queue
            for (message, _) in ended { failing.note(message.clientID, hasFailedAt: now) }
            try await scene.database.write { connection in
                for (message, _) in ended {
                    try queue.postpone(
                        message.id, until: now + SignOutQueue.pause(after: message.tries), "timed_out", connection)
                }
            }
            let all = failing.all
            let taken = try await scene.database.write { connection in
                let due = try queue.due(
                    at: now, except: FailingClients.paused(all, at: now), failing: all, connection)
                return try queue.take(due, at: now, failing: all, connection)
            }
            for message in taken where message.clientID != "good" {
                hanging.append((message, now + HangingClientTests.tryLasts))
            }
            mostHanging = max(mostHanging, hanging.count)
            guard let good = taken.first(where: { $0.clientID == "good" }) else { return }
            told = now
            try await scene.database.write { try queue.deliver(good.id, at: now, $0) }
        }

        /// - Returns: from the end of a session to the message at the client that answers.
        func signOut(_ session: String) async throws -> Duration {
            told = nil
            let begin = scene.clock.now
            try await scene.entered(session, ["good"])
            try await scene.end(.one(session))
            for _ in 0..<400 where told == nil { try await step() }
            return try #require(told) - begin
        }
    }

    @Test(
        "with 20 of them and 40 messages for each, another client is told within 6 seconds, within half a second once each of them has failed, and they take turns"
    )
    func trial() async throws {
        let names = (1...20).map { "hangs-\($0)" }
        try await SignOutScene.open(clients: names + ["good"]) { scene in
            for number in 1...40 { try await scene.entered("ses_\(number)", names) }
            for number in 1...40 { try await scene.end(.one("ses_\(number)")) }
            scene.clock.advance(by: .milliseconds(1))
            let trial = Trial(scene)
            #expect(try await trial.signOut("ses_first") <= .seconds(6))
            for _ in 0..<40 { try await trial.step() }
            #expect(trial.mostHanging <= SignOutQueue.parallel)
            for number in 1...10 {
                #expect(try await trial.signOut("ses_good_\(number)") <= .milliseconds(500))
                for _ in 0..<20 { try await trial.step() }
            }
            // None of them waits for the messages of another: each has been tried about as often.
            let tries = try await scene.messages().filter { $0.clientID != "good" }
            let counts = Dictionary(tries.map { ($0.clientID, $0.tries) }, uniquingKeysWith: +)
            let (least, most) = (try #require(counts.values.min()), try #require(counts.values.max()))
            #expect(counts.count == 20 && least >= 3 && most <= 2 * least)
        }
    }
}
