import SSOWeb
import Storage
import Testing

@testable import IdPMail
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Emails that an operator sends to many", .program, .alsoOnPostgres)
struct PacedMailTests {
    private static func withDatabase(_ body: (any Database, TestClock) async throws -> Void) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        defer { withExtendedLifetime(folder) {} }
        let database = try await DeploymentDatabases(folder: folder).openIdP()
        try await body(database, TestClock())
        await database.close()
    }

    private static func enqueue(_ count: Int, isPaced: Bool = true, _ queue: MailQueue, _ clock: TestClock) async throws
    {
        try await queue.database.write { connection in
            for number in 0..<count {
                let id = "\(isPaced ? "paced" : "notice")-\(number)"
                try queue.enqueueNotice(
                    id, kind: "test", subjectID: id, isPaced: isPaced, now: clock.now, connection)
            }
        }
    }

    /// Sends what a round takes.
    private static func round(_ queue: MailQueue, _ clock: TestClock) async throws -> Int {
        let taken = try await queue.exchange([], forNext: 30)
        _ = try await queue.exchange(
            taken.emails.map { DeliveryResult(id: $0.id, outcome: .sent(clock.now)) }, forNext: 0)
        return taken.emails.count
    }

    @Test("at most ten leave in a minute, whichever process takes them, and all of them leave in the end")
    func pace() async throws {
        try await Self.withDatabase { database, clock in
            let queue = MailQueue(database: database, clock: clock.clock, capacity: MailCapacity(limit: 100))
            let other = MailQueue(database: database, clock: clock.clock, capacity: MailCapacity(limit: 100))
            try await Self.enqueue(25, queue, clock)
            var counts: [Int] = []
            for _ in 0..<4 {
                counts.append(try await Self.round(queue, clock))
                counts.append(try await Self.round(other, clock))
                clock.advance(by: .seconds(60))
            }
            #expect(counts == [10, 0, 10, 0, 5, 0, 0, 0])
        }
    }

    @Test("they hold back neither notices nor codes, and count for no hourly limit")
    func others() async throws {
        try await Self.withDatabase { database, clock in
            let queue = MailQueue(database: database, clock: clock.clock, capacity: MailCapacity(limit: 5))
            try await Self.enqueue(20, queue, clock)
            #expect(try await Self.round(queue, clock) == 10)
            try await Self.enqueue(3, isPaced: false, queue, clock)
            #expect(try await Self.round(queue, clock) == 3)
            #expect(try await queue.exchange([], forNext: 10).level == .all)
        }
    }
}
