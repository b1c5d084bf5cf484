import Testing

@testable import SSOWeb
@testable import TestSupport

@Suite("Queue of waiting reads and writes")
struct JobQueueTests {
    private final class Waiting: PendingJob {
        let arrived = ContinuousClock.now
        func run(on connection: SQLiteConnection) -> Bool { true }
        func answer() {}
        func fail(_ failure: DatabaseFailure) {}
    }

    @Test("what exceeds the capacity is refused at once, and room made is room again")
    func bounded() throws {
        let queue = JobQueue(capacity: 2, maximumWorkers: 1)
        #expect(try queue.add(Waiting()))
        #expect(try !queue.add(Waiting()))
        #expect(throws: DatabaseFailure.unavailable("too many requests wait for the database")) {
            try queue.add(Waiting())
        }
        #expect(queue.take(1).count == 1)
        #expect(try !queue.add(Waiting()))
    }

    @Test("a worker retires only from an empty queue, and the next job starts a new one")
    func workers() throws {
        let queue = JobQueue(capacity: 10, maximumWorkers: 1)
        _ = try queue.add(Waiting())
        #expect(!queue.retireWorkerIfEmpty())
        _ = queue.take(10)
        #expect(queue.retireWorkerIfEmpty())
        #expect(try queue.add(Waiting()))
    }

    @Test("jobs are taken by age for those who waited too long")
    func byAge() throws {
        let queue = JobQueue(capacity: 10, maximumWorkers: 1)
        let (old, young) = (Waiting(), Waiting())
        _ = try queue.add(old)
        _ = try queue.add(young)
        let taken = queue.take(arrivedBefore: young.arrived)
        #expect(taken.count == 1)
        #expect(taken.first === old)
        #expect(queue.oldestArrival == young.arrived)
    }
}
