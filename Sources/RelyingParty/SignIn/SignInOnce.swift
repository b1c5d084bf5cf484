import SSOShared
import SSOWeb
import Synchronization

/// One redemption for a callback that comes twice: on a double click the browser gives up the first request and with it
/// the cookie of the new session, so the second one waits for the first and gets its answer.
///
/// Told apart by the pending sign-in of the sealed cookie as it came, the state *and* the token. An attacker who
/// planted the cookie knows its state as well, but never the token, and gets nothing here (session fixation). Known to this process
/// only: another one sends the second request on to the page.
final class SignInOnce: Sendable {
    /// For a click that was on its way while the first answer left. Failures are not kept: they are not repeated either.
    static let grace: Duration = .seconds(10)

    /// How a sign-in ended: where the browser goes, and its new session, unless it has one from elsewhere.
    struct Outcome: Sendable {
        let path: String
        let session: Session?
    }

    private struct Attempt {
        let task: Task<Outcome, any Error>
        var endedAt: Timestamp?
    }

    private let clock: ServiceClock
    private let attempts = Mutex<[[UInt8]: Attempt]>([:])

    init(clock: ServiceClock) { self.clock = clock }

    /// How many are remembered.
    var count: Int { attempts.withLock { $0.count } }

    /// Does the work, or waits for the one who does it already. The work goes on when the visitor turns away.
    func run(_ key: [UInt8], _ work: @escaping @Sendable () async throws -> Outcome) async throws -> Outcome {
        let now = clock.now()
        let task = attempts.withLock { attempts in
            attempts = attempts.filter { $0.value.endedAt.map { now - $0 < Self.grace } ?? true }
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
        let now = clock.now()
        attempts.withLock { attempts in
            if succeeded { attempts[key]?.endedAt = now } else { attempts[key] = nil }
        }
    }
}
