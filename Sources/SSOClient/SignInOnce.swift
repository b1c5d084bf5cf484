public import Foundation
import SSOShared
import Synchronization

/// Coalesces identical callbacks. On a double click the browser drops the first response and its session cookie; the second
/// request waits for the first and gets the same outcome.
///
/// Callbacks are identified by ``SignInCallback/digest(_:)``: the pending sign-in, the state *and* the token. An attacker
/// who planted the cookie knows its state, but never the token (session fixation). Works within one process; another
/// process sends the second request to the page.
public final class SignInOnce<Outcome: Sendable>: Sendable {
    /// Covers a click that was on its way when the first response left. Failures are not kept.
    public static var grace: Duration { .seconds(10) }

    private struct Attempt {
        let task: Task<Outcome, any Error>
        var endedAt: Date?
    }

    private let now: @Sendable () -> Date
    private let attempts = Mutex<[[UInt8]: Attempt]>([:])

    public init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    /// How many are remembered.
    var count: Int { attempts.withLock { $0.count } }

    /// Does the work, or waits for the same work in progress. The work continues when the browser disconnects.
    public func run(_ key: [UInt8], _ work: @escaping @Sendable () async throws -> Outcome) async throws -> Outcome {
        let now = now()
        let task = attempts.withLock { attempts in
            attempts = attempts.filter { attempt in
                attempt.value.endedAt.map { now.timeIntervalSince($0) < Self.grace / .seconds(1) } ?? true
            }
            if let running = attempts[key] { return running.task }
            let task = Task {
                do {
                    let outcome = try await work()
                    self.note(key, succeeded: true)
                    return outcome
                } catch {
                    self.note(key, succeeded: false)
                    throw error
                }
            }
            attempts[key] = Attempt(task: task)
            return task
        }
        return try await task.value
    }

    private func note(_ key: [UInt8], succeeded: Bool) {
        let now = now()
        attempts.withLock { attempts in
            if succeeded { attempts[key]?.endedAt = now } else { attempts[key] = nil }
        }
    }
}
