import Foundation

/// Runs blocking work on a thread of its own.
///
/// The cooperative pool has two threads on a two-core machine: a hundred blocking sockets on it would wait for each
/// other and hide the races that these tests look for.
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

/// Calls `condition` repeatedly until it returns a value, at most for `limit`.
///
/// - Throws: `ProbeFailure` naming `what` after the limit; any error of `condition`.
func eventually<Value>(
    _ what: String, within limit: Duration = TestTimeout.limit, every pause: Duration = .milliseconds(10),
    _ condition: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now + limit
    while true {
        if let value = try await condition() { return value }
        guard ContinuousClock.now < end else {
            throw ProbeFailure("not within \(limit), which is a defect or a fault of the machine: \(what)")
        }
        try await Task.sleep(for: pause)
    }
}

enum TestTimeout {
    /// How long a test waits for an expected event. Only a defect takes this long, or a machine that does too much else: what must
    /// be quick is measured by work and not by time.
    static let limit: Duration = .seconds(600)
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
