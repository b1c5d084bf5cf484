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
///
/// Anybody can begin sign-ins and end them with a wrong token, and each state is kept for 18 minutes. When 200,000 are, about
/// 60 MB, further callbacks are refused with a 503 until some are old enough: one that is forgotten earlier could be used again.
public final class UsedStatesInMemory: UsedStates {
    private struct Entry {
        let callback: [UInt8]
        let usedAt: ContinuousClock.Instant
        var hasFailed = false
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var sweptAt: ContinuousClock.Instant
    }

    private static let kept = PendingSignIns.lifetime + PendingSignIns.toleratedSkew * 4
    /// A look at all states costs too much for each callback of a flood.
    private static let pause: Duration = .seconds(60)

    private let state: Mutex<State>
    private let limit: Int
    private let now: @Sendable () -> ContinuousClock.Instant

    public convenience init() { self.init(limit: 200_000) { .now } }

    init(limit: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        (self.limit, self.now) = (limit, now)
        state = Mutex(State(sweptAt: now()))
    }

    /// - Throws: ``SignInError`` with the status 503 while too many states are kept.
    public func use(_ state: String, callback: [UInt8]) throws(SignInError) -> StateUse {
        let now = now()
        return try self.state.withLock { kept throws(SignInError) in
            if now - kept.sweptAt >= Self.pause {
                kept.entries = kept.entries.filter { now - $0.value.usedAt < Self.kept }
                kept.sweptAt = now
            }
            if let entry = kept.entries[state] {
                return .again(
                    repeats: entry.callback == callback, recently: now - entry.usedAt < SignInOnce<Void>.grace,
                    failed: entry.hasFailed)
            }
            guard kept.entries.count < limit else {
                throw .unavailable(cause: "\(limit) used states are kept: a flood of callbacks", returnTo: "/")
            }
            kept.entries[state] = Entry(callback: callback, usedAt: now)
            return .first
        }
    }

    public func noteFailure(_ state: String) { self.state.withLock { $0.entries[state]?.hasFailed = true } }
}
