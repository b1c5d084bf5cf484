import SSOWeb

/// Why a value is fetched again although it has not expired. Each reason has an allowance of its own: an attacker who sends
/// notifications with made-up keys must not use up that of sign-ins, nor wrong signatures that of a new key.
enum EarlyFetch: Sendable, Hashable {
    /// An ID token, or a notification, names a key that the value lacks.
    case signIn, notification
    /// A key that the value has did not make the signature of an ID token: another one may have its `kid` by now.
    case wrongSignature

    /// How often the value may be fetched for this reason.
    var interval: Duration { self == .wrongSignature ? .minutes(1) : .minutes(5) }
}

/// Keeps one value for each key for a while. Callers that need the same value at the same time share one fetch.
///
/// A failure is remembered for ten seconds, so that a dead provider does not cost every visitor the whole time limit. While
/// a provider is out of service, the last value is used for up to 24 hours.
actor SharedCache<Value: Sendable> {
    typealias Fetch = @Sendable () async -> Result<(Value, lifetime: Duration), ProviderError>

    static var failureLifetime: Duration { .seconds(10) }
    static var longestUse: Duration { .hours(24) }

    private struct Entry {
        var value: Value?
        var fetchedAt = Timestamp(milliseconds: 0)
        var freshUntil = Timestamp(milliseconds: 0)
        var failure: (error: ProviderError, until: Timestamp)?
        /// The last early fetch that succeeded, by its reason.
        var earlyFetches: [EarlyFetch: Timestamp] = [:]
        var task: Task<Void, Never>?
    }

    private let clock: ServiceClock
    private var entries: [String: Entry] = [:]

    init(clock: ServiceClock) { self.clock = clock }

    /// The value that was fetched last and is still fresh, or a new one.
    func value(for key: String, fetch: @escaping Fetch) async throws(ProviderError) -> Value {
        if let value = entries[key]?.value, isFresh(key) { return value }
        if !hasRecentFailure(key) { await update(key, early: nil, fetch) }
        let entry = entries[key]
        let now = clock.now()
        if let value = entry?.value, isFresh(key) { return value }
        guard let failure = entry?.failure?.error else { throw .call(.discovery, .unreachable) }
        // Without an outage the provider has said something else since, even if it is wrong.
        if failure.isOutage, let entry, let value = entry.value, entry.fetchedAt <= now + ClockSkew.tolerated,
            now - entry.fetchedAt < Self.longestUse
        {
            return value
        }
        throw failure
    }

    /// Fetches a value again that is still fresh but turned out to lack something. At most once in each reason's interval,
    /// since any client on the network may cause it. A fetch that failed counts only after a wrong signature. Returns nil when
    /// it is too early or the fetch failed.
    @discardableResult func newerValue(for key: String, _ reason: EarlyFetch, fetch: @escaping Fetch) async -> Value? {
        guard entries[key]?.task != nil || isEarlyFetchDue(key, reason) else { return nil }
        if reason == .wrongSignature { entries[key]?.earlyFetches[reason] = clock.now() }
        await update(key, early: reason, fetch)
        return entries[key]?.failure == nil ? entries[key]?.value : nil
    }

    private func isEarlyFetchDue(_ key: String, _ reason: EarlyFetch) -> Bool {
        guard !hasRecentFailure(key) else { return false }
        guard let last = entries[key]?.earlyFetches[reason] else { return true }
        let age = clock.now() - last
        return age >= reason.interval || age < .zero
    }

    // A moment that is further ahead than its lifetime was noted while the clock was wrong. It counts for nothing: it could
    // count until the process ends.

    private func isFresh(_ key: String) -> Bool {
        guard let entry = entries[key] else { return false }
        let now = clock.now()
        return now < entry.freshUntil && entry.fetchedAt <= now + ClockSkew.tolerated
    }

    private func hasRecentFailure(_ key: String) -> Bool {
        guard let until = entries[key]?.failure?.until else { return false }
        let now = clock.now()
        return now < until && until - now <= Self.failureLifetime
    }

    /// Waits for the running fetch or starts one. The fetch goes on when a caller is cancelled: others wait for it too.
    private func update(_ key: String, early reason: EarlyFetch?, _ fetch: @escaping Fetch) async {
        if let task = entries[key]?.task { return await task.value }
        let task = Task {
            let result = await fetch()
            store(key, result, early: reason)
        }
        entries[key, default: Entry()].task = task
        await task.value
    }

    private func store(
        _ key: String, _ result: Result<(Value, lifetime: Duration), ProviderError>, early reason: EarlyFetch?
    ) {
        var entry = entries[key] ?? Entry()
        let now = clock.now()
        entry.task = nil
        switch result {
        case .success(let (value, lifetime)):
            entry.value = value
            entry.fetchedAt = now
            entry.freshUntil = now + lifetime
            entry.failure = nil
            if let reason { entry.earlyFetches[reason] = now }
        case .failure(let error):
            entry.failure = (error, now + Self.failureLifetime)
        }
        entries[key] = entry
    }
}
