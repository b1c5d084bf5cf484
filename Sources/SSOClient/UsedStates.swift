import SSOShared
import Synchronization

/// The result of an attempt to use a state.
public enum StateUse: Equatable, Sendable {
    /// It is used now, durably, and was not used before.
    case first
    /// It was used before.
    /// - repeats: the same callback used it.
    /// - recently: it was used a moment ago, so that a repetition is a double click.
    /// - failed: the callback that used it did not sign the user in.
    case again(repeats: Bool, recently: Bool, failed: Bool)
}

/// The states that were used. A state works once, also for callbacks at the same instant, on several servers, or with an
/// old copy of the cookie.
///
/// Keep each state for longer than a cookie with it is accepted: ``PendingSignIns/lifetime`` and four times
/// ``PendingSignIns/toleratedSkew``.
public protocol UsedStates: Sendable {
    /// Uses a state, in one atomic step: of any number of callbacks one is first.
    ///
    /// - Parameter callback: identifies the callback: ``SignInCallback/digest(_:)``.
    func use(_ state: String, callback: [UInt8]) async throws -> StateUse

    /// Records that the callback which used a state did not sign the user in.
    func noteFailure(_ state: String) async throws
}

/// Used states in the memory of one process. Enough for a relying party of one process that forgets its sessions when it
/// ends as well.
public final class UsedStatesInMemory: UsedStates {
    private struct Entry {
        let callback: [UInt8]
        let usedAt: ContinuousClock.Instant
        var hasFailed = false
    }

    private let entries = Mutex<[String: Entry]>([:])

    public init() {}

    public func use(_ state: String, callback: [UInt8]) -> StateUse {
        let now = ContinuousClock.now
        return entries.withLock { entries in
            entries = entries.filter {
                now - $0.value.usedAt < PendingSignIns.lifetime + PendingSignIns.toleratedSkew * 4
            }
            if let entry = entries[state] {
                return .again(
                    repeats: entry.callback == callback, recently: now - entry.usedAt < SignInOnce<Void>.grace,
                    failed: entry.hasFailed)
            }
            entries[state] = Entry(callback: callback, usedAt: now)
            return .first
        }
    }

    public func noteFailure(_ state: String) { entries.withLock { $0[state]?.hasFailed = true } }
}
