import SSOShared
import SSOWeb

/// Owns the rule for waiting SSO requests: at most eight a browser, ten minutes each, taken once.
///
/// Each request keeps its own id: with a single slot the second tab would overwrite the first one's redirect URI and
/// state.
struct PendingFlows: Codable, Sendable {
    struct Flow: Codable, Sendable {
        let request: AuthorizeRequest
        let begunAt: Timestamp
        /// Rises from flow to flow. Age is counted, not timed: a clock that steps back would make the newest the oldest.
        let number: Int
    }

    /// Ten minutes: as long as the code in the letter lives.
    static let lifetime: Duration = .minutes(10)
    /// Nobody signs in to more services at once; more would be a page that opens windows.
    static let maximumCount = 8

    private(set) var flows: [String: Flow] = [:]

    /// Adds a request. Beyond eight the oldest goes.
    mutating func add(_ request: AuthorizeRequest, id: String, now: Timestamp) {
        let last = flows.values.map(\.number).max() ?? 0
        flows[id] = Flow(request: request, begunAt: now, number: last + 1)
        while flows.count > Self.maximumCount {
            guard let oldest = flows.min(by: { $0.value.number < $1.value.number }) else { break }
            flows[oldest.key] = nil
        }
    }

    /// Takes a request out: afterwards nobody else gets it.
    mutating func take(_ id: String) { flows[id] = nil }

    /// Whether the request waits no longer. An expired one is kept until a newer pushes it out, so that its page can
    /// still name the service.
    static func isExpired(_ flow: Flow, now: Timestamp) -> Bool { now - flow.begunAt >= lifetime }
}
