public import Foundation
public import SSOShared
import Synchronization

/// Asks the identity provider now and then about a session that is in use, for any web framework (docs/protocol.md).
///
/// Keep beside each session when it was last checked; at first that is when it began. On a request, when ``isDue(_:now:)`` says
/// so, set that moment to now in one atomic step, so that of several requests one asks, and only then call
/// ``ask(session:user:now:)``. No page waits longer than the call takes: two seconds at most. While the identity provider cannot
/// be reached, one question a minute is asked in all.
public final class SessionCheck: Sendable {
    /// How long a failed question keeps this process from the next one.
    public static let pause: Duration = .seconds(60)

    /// What becomes of the session.
    public enum Outcome: Sendable, Equatable {
        /// It goes on. The user may have another name, address or groups now.
        case active(VerifiedUser)
        /// It ends.
        case ended(SessionEndReason)
        /// It goes on, though the session at the identity provider has come to the end of its time.
        case expired
        /// It goes on: the question was not answered. Check it again after ``SessionCheck/pause``: see ``SessionCheck/checkedAt(afterFailure:)``.
        case failed(BackChannelError)
    }

    private let interval: Duration
    private let backChannel: BackChannelClient
    /// Until when nothing is asked. Nil after a question that was answered.
    private let pausedUntil = Mutex<Date?>(nil)

    /// - Parameter interval: how long a session may be in use without a question, at least a minute.
    public init(every interval: Duration, backChannel: BackChannelClient) {
        self.interval = max(interval, Self.pause)
        self.backChannel = backChannel
    }

    /// Whether to ask about a session.
    ///
    /// - Parameter checkedAt: when it was last checked, or began. Nil when that is not known.
    public func isDue(_ checkedAt: Date?, now: Date = Date()) -> Bool {
        guard pausedUntil.withLock({ $0.map { now >= $0 } ?? true }) else { return false }
        guard let checkedAt else { return true }
        // From the future: the clock was wrong.
        let age = now.timeIntervalSince(checkedAt)
        return age >= interval / .seconds(1) || age < -(SignInDemand.toleratedSkew / .seconds(1))
    }

    /// What to keep as the last check after a failed one, so that the next comes soon.
    public func checkedAt(afterFailure now: Date = Date()) -> Date { now - (interval - Self.pause) / .seconds(1) }

    /// Asks. Every doubt about the answer counts as a failure, and ends no session.
    ///
    /// - Parameters:
    ///   - session: `session.id`, as verify gave it.
    ///   - user: `user.id`, as verify gave it.
    public func ask(session: String, user: String, now: Date = Date()) async -> Outcome {
        // After a failure one question tries, and the others go on without an answer.
        pausedUntil.withLock { if $0 != nil { $0 = now + Self.pause / .seconds(1) } }
        let answer: SessionAnswer
        do { answer = try await backChannel.ask(session: session, user: user) } catch {
            pausedUntil.withLock { $0 = now + Self.pause / .seconds(1) }
            return .failed(error)
        }
        pausedUntil.withLock { $0 = nil }
        return switch answer {
        case .active(let reply): .active(reply.user)
        case .inactive(let reason, _): reason.endsSession ? .ended(reason) : .expired
        }
    }
}
