import Testing

@testable import Storage
@testable import TestKit

@Suite("Queue of waiting calls", .rules)
struct CallQueueTests {
    private static func write() -> PendingCall { PendingCall(run: { _ in (true, { _ in }) }, fail: { _ in }) }

    @Test("calls beyond the capacity fail immediately, and succeed again when there is room")
    func bounded() throws {
        let queue = CallQueue(capacity: 2)
        try queue.add(Self.write())
        try queue.add(Self.write())
        #expect(throws: DatabaseError.unavailable("too many requests wait for the database")) {
            try queue.add(Self.write())
        }
        #expect(queue.take(1).count == 1)
        try queue.add(Self.write())
        #expect(queue.count == 2)
    }

    @Test("the writer finishes what waits before it stops, and sleeps and wakes without missing a write")
    func workers() async throws {
        let queue = CallQueue(capacity: 2_000)
        let thread = Task {
            try await onOwnThread {
                var taken = 0
                while queue.waitForWork() { taken += queue.take(10).count }
                return taken
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...4 { group.addTask { for _ in 1...250 { _ = try? queue.add(Self.write()) } } }
        }
        queue.close()
        #expect(try await thread.value == 1_000)
        #expect(throws: DatabaseError.unavailable("the database is closed")) { try queue.add(Self.write()) }
    }

    @Test("writes that have waited too long are taken by their age")
    func byAge() throws {
        let queue = CallQueue(capacity: 10)
        let (old, young) = (Self.write(), Self.write())
        try queue.add(old)
        try queue.add(young)
        let taken = queue.take(arrivedBefore: young.arrived)
        #expect(taken.map(\.arrived) == [old.arrived])
        #expect(queue.take(10).map(\.arrived) == [young.arrived])
    }
}
