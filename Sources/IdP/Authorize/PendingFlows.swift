import SSOShared
import SSOWeb

/// Owns the rule for SSO requests of one browser: at most eight wait, ten minutes each, and each is taken once. Of those
/// that are over it keeps whose they were, so that whoever comes back to one is told where to start again.
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

    /// What is left of a request that waits no longer: nothing a token could be issued for.
    struct Past: Codable, Sendable {
        let id: String
        let clientID: String
        let redirectURI: String
    }

    /// Ten minutes: as long as the code in the letter lives.
    static let lifetime: Duration = .minutes(10)
    /// Nobody signs in to more services at once; more would be a page that opens windows.
    static let maximumCount = 8
    /// As many again as may wait: of those that waited together none is forgotten when all of them are over.
    static let maximumPast = 16

    private(set) var flows: [String: Flow] = [:]
    /// The newest last.
    private(set) var past: [Past] = []

    /// Adds a request. Beyond eight the oldest is over.
    mutating func add(_ request: AuthorizeRequest, id: String, now: Timestamp) {
        let last = flows.values.map(\.number).max() ?? 0
        flows[id] = Flow(request: request, begunAt: now, number: last + 1)
        while flows.count > Self.maximumCount {
            guard let oldest = flows.min(by: { $0.value.number < $1.value.number }) else { break }
            end(oldest.key)
        }
    }

    /// The request of this id, unless it is over.
    func waiting(_ id: String, now: Timestamp) -> AuthorizeRequest? {
        guard let flow = flows[id], now - flow.begunAt < Self.lifetime else { return nil }
        return flow.request
    }

    /// The id of the request that began last, of those that wait.
    func newest(now: Timestamp) -> String? {
        flows.filter { waiting($0.key, now: now) != nil }.max { $0.value.number < $1.value.number }?.key
    }

    /// Takes a request that waits: of any number of callers exactly one gets it.
    mutating func take(_ id: String, now: Timestamp) -> AuthorizeRequest? {
        guard let request = waiting(id, now: now) else { return nil }
        end(id)
        return request
    }

    /// Whose a request was that is over: taken, too old, or pushed out by newer ones. Nil for one that never was here.
    func over(_ id: String) -> Past? {
        flows[id].map { Past(id, $0) } ?? past.last { $0.id == id }
    }

    private mutating func end(_ id: String) {
        guard let flow = flows.removeValue(forKey: id) else { return }
        past = Array((past + [Past(id, flow)]).suffix(Self.maximumPast))
    }
}

extension PendingFlows.Past {
    fileprivate init(_ id: String, _ flow: PendingFlows.Flow) {
        self.init(id: id, clientID: flow.request.clientID, redirectURI: flow.request.redirectURI)
    }
}
