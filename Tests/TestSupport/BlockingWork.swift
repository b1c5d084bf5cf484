import Foundation

/// Runs blocking work on a thread of its own.
///
/// The cooperative pool has two threads on a two-core machine: a hundred blocking sockets on it would wait for one
/// another and hide the very races these tests are after.
func onOwnThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread {
            do {
                continuation.resume(returning: try work())
            } catch {
                continuation.resume(throwing: error)
            }
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
}

/// Asks again and again until `condition` yields a value, at most `limit` long.
///
/// - Throws: `ProbeFailure` naming `what` when the time is up; whatever `condition` throws.
func eventually<Value>(
    _ what: String, within limit: Duration = TestTimeout.limit, every pause: Duration = .milliseconds(10),
    _ condition: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now + limit
    while true {
        if let value = try await condition() { return value }
        guard ContinuousClock.now < end else { throw ProbeFailure("not within \(limit): \(what)") }
        try await Task.sleep(for: pause)
    }
}

enum TestTimeout {
    /// How long a test waits for what is sure to come. Only a fault ever takes so long, and a busy machine must not look
    /// like one.
    static let limit: Duration = .seconds(90)
}

/// Runs `work` `count` times concurrently and returns all results.
func atOnce<Result: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: Result.self) { group in
        for index in 0..<count { group.addTask { try await work(index) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
