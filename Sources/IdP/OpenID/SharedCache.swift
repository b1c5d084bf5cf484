import SSOWeb

/// Keeps one value for each key for a while. Callers that need the same value at the same time share one fetch.
///
/// A failure is remembered for ten seconds, so that a dead provider does not cost every visitor the whole time limit. While
/// a provider is out of service, the last value is used for up to 24 hours.
actor SharedCache<Value: Sendable> {
    typealias Fetch = @Sendable () async -> Result<(Value, lifetime: Duration), ProviderError>

    static var failureLifetime: Duration { .seconds(10) }
    static var longestUse: Duration { .hours(24) }
    /// How often a value may be fetched again although it has not expired.
    static var earlyFetchInterval: Duration { .minutes(5) }

    private struct Entry {
        var value: Value?
        var fetchedAt = Timestamp(milliseconds: 0)
        var freshUntil = Timestamp(milliseconds: 0)
        var failure: (error: ProviderError, until: Timestamp)?
        var lastEarlyFetch: Timestamp?
        var task: Task<Void, Never>?
    }

    private let clock: ServiceClock
    private var entries: [String: Entry] = [:]

    init(clock: ServiceClock) { self.clock = clock }

    /// The value that was fetched last and is still fresh, or a new one.
    func value(for key: String, fetch: @escaping Fetch) async throws(ProviderError) -> Value {
        if let value = entries[key]?.value, isFresh(key) { return value }
        if !hasRecentFailure(key) { await update(key, fetch) }
        let entry = entries[key]
        let now = clock.now()
        if let value = entry?.value, isFresh(key) { return value }
        guard let failure = entry?.failure?.error else { throw .call(.discovery, .unreachable) }
        // Without an outage the provider has said something else since, even if it is wrong.
        if failure.isOutage, let entry, let value = entry.value, now - entry.fetchedAt < Self.longestUse {
            return value
        }
        throw failure
    }

    /// Fetches a value again that is still fresh but turned out to lack something. At most once in five minutes, since
    /// any client on the network may cause it. Returns nil when it is too early or the fetch failed.
    func newerValue(for key: String, fetch: @escaping Fetch) async -> Value? {
        let now = clock.now()
        guard entries[key]?.task != nil || isEarlyFetchDue(key, now) else { return nil }
        if entries[key]?.task == nil { entries[key, default: Entry()].lastEarlyFetch = now }
        await update(key, fetch)
        return entries[key]?.failure == nil ? entries[key]?.value : nil
    }

    private func isEarlyFetchDue(_ key: String, _ now: Timestamp) -> Bool {
        guard !hasRecentFailure(key) else { return false }
        guard let last = entries[key]?.lastEarlyFetch else { return true }
        return now - last >= Self.earlyFetchInterval
    }

    private func isFresh(_ key: String) -> Bool { entries[key].map { clock.now() < $0.freshUntil } ?? false }

    private func hasRecentFailure(_ key: String) -> Bool {
        entries[key]?.failure.map { clock.now() < $0.until } ?? false
    }

    /// Waits for the running fetch or starts one. The fetch goes on when a caller is cancelled: others wait for it too.
    private func update(_ key: String, _ fetch: @escaping Fetch) async {
        if let task = entries[key]?.task { return await task.value }
        let task = Task {
            let result = await fetch()
            store(key, result)
        }
        entries[key, default: Entry()].task = task
        await task.value
    }

    private func store(_ key: String, _ result: Result<(Value, lifetime: Duration), ProviderError>) {
        var entry = entries[key] ?? Entry()
        let now = clock.now()
        entry.task = nil
        switch result {
        case .success(let (value, lifetime)):
            entry.value = value
            entry.fetchedAt = now
            entry.freshUntil = now + lifetime
            entry.failure = nil
        case .failure(let error):
            entry.failure = (error, now + Self.failureLifetime)
        }
        entries[key] = entry
    }
}
