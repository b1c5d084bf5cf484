package import SSOShared
package import SSOWeb

/// The session slot of pending SSO requests: at most eight flows, ten minutes each, each taken once. It also keeps which
/// client an ended flow belonged to, so that a user who comes back to one learns where to start again.
///
/// Each flow has an id of its own: with a single place the second tab would overwrite the first one's redirect URI and
/// state.
package struct PendingFlows: SessionSlot {
    package static let key = "sso"
    package static let survivesSignIn = true

    package struct Flow: Codable, Sendable {
        package let request: AuthorizeRequest
        let begunAt: Timestamp
        /// Rises from flow to flow. It orders flows by age even when the clock steps back.
        let number: Int
        /// The flow needs a sign-in of this moment or later. Nil when any will do.
        var signInSince: Timestamp?
        /// The address to fill into the sign-in form. Never logged.
        package var loginHint: String?
    }

    /// What is kept of an ended flow. No token can be issued from it.
    package struct EndedFlow: Codable, Sendable {
        let id: String
        package let clientID: String
        package let redirectURI: String
        /// The ``FlowLogID`` of a flow that the user has completed. Nil for one that expired or was pushed out, and in a
        /// session from before there was such a field.
        var completed: String?
    }

    /// As long as the code in the email is valid.
    static let lifetime: Duration = .minutes(10)
    /// No user signs in to more services at once. More flows come from a page that opens windows.
    static let maximumCount = 8
    /// Twice as many as can be pending, so that none of those is forgotten when all of them end.
    static let maximumEnded = 16

    package private(set) var flows: [String: Flow]
    /// Newest last. The stored name is older than the property's.
    private(set) var endedFlows: [EndedFlow]

    private enum CodingKeys: String, CodingKey {
        case flows
        case endedFlows = "past"
    }

    package init() {
        flows = [:]
        endedFlows = []
    }

    /// Adds a flow. Beyond eight the oldest ends.
    package mutating func add(
        _ request: AuthorizeRequest, id: String, now: Timestamp, signInSince: Timestamp? = nil, loginHint: String? = nil
    ) {
        let last = flows.values.map(\.number).max() ?? 0
        flows[id] = Flow(
            request: request, begunAt: now, number: last + 1, signInSince: signInSince, loginHint: loginHint)
        while flows.count > Self.maximumCount {
            guard let oldest = flows.min(by: { $0.value.number < $1.value.number }) else { break }
            end(oldest.key)
        }
    }

    /// The request of a pending flow, nil for one that has ended or never was.
    package func pending(_ id: String, now: Timestamp) -> AuthorizeRequest? {
        guard let flow = flows[id], now - flow.begunAt < Self.lifetime else { return nil }
        return flow.request
    }

    /// The moment that the sign-in for a flow must not be older than; nil when any will do.
    func signInSince(_ flow: FlowID?) -> Timestamp? { flow.flatMap { flows[$0.text]?.signInSince } }

    /// The id of the newest pending flow.
    package func newest(now: Timestamp) -> String? {
        flows.filter { pending($0.key, now: now) != nil }.max { $0.value.number < $1.value.number }?.key
    }

    /// Ends a pending flow. Of any number of callers exactly one gets its request.
    package mutating func take(_ id: String, now: Timestamp) -> AuthorizeRequest? {
        guard let request = pending(id, now: now) else { return nil }
        end(id, isCompleted: true)
        return request
    }

    /// Ends a pending flow that the user gives up.
    ///
    /// - Returns: whether it was pending.
    package mutating func cancel(_ id: String, now: Timestamp) -> Bool {
        guard pending(id, now: now) != nil else { return false }
        end(id)
        return true
    }

    /// Whether the user has completed a flow of exactly this request in this session: after a sign-in, or after choosing
    /// an account.
    package func hasCompleted(_ request: AuthorizeRequest) -> Bool {
        guard !endedFlows.isEmpty else { return false }
        let name = FlowLogID.name(request)
        return endedFlows.contains {
            $0.completed == name && $0.clientID == request.clientID && $0.redirectURI == request.redirectURI
        }
    }

    /// The flow of this id if it has ended: taken, too old, or pushed out by newer ones. Nil for an unknown id.
    package func ended(_ id: String) -> EndedFlow? {
        flows[id].map { EndedFlow(id, $0) } ?? endedFlows.last { $0.id == id }
    }

    private mutating func end(_ id: String, isCompleted: Bool = false) {
        guard let flow = flows.removeValue(forKey: id) else { return }
        var ended = EndedFlow(id, flow)
        if isCompleted { ended.completed = FlowLogID.name(flow.request) }
        endedFlows = Array((endedFlows + [ended]).suffix(Self.maximumEnded))
    }
}

extension PendingFlows.EndedFlow {
    fileprivate init(_ id: String, _ flow: PendingFlows.Flow) {
        self.init(id: id, clientID: flow.request.clientID, redirectURI: flow.request.redirectURI)
    }
}

/// What the log calls a flow, from the visit that begins it to the client's verification: 12 characters of the hash of its
/// `state`. The state itself is the client's secret and never logged.
package enum FlowLogID {
    static func name(stateDigest: [UInt8]) -> String { Base64URL.encode(Array(stateDigest.prefix(9))) }

    package static func name(_ request: AuthorizeRequest) -> String {
        name(stateDigest: SHA256.hash(Array(request.state.utf8)))
    }
}

extension PendingFlows {
    /// The log's name of a pending flow; `-` for none.
    package func logID(_ flow: FlowID?) -> String {
        flow.flatMap { flows[$0.text] }.map { FlowLogID.name($0.request) } ?? "-"
    }
}

/// The id of a flow in links and forms. It names a place in the browser's own session, so it is not a secret.
package struct FlowID: Sendable {
    package let text: String

    /// Nil for text that does not have the shape of an id made here.
    package init?(_ text: String) {
        guard Base64URL.decode(text)?.count == 16 else { return nil }
        self.text = text
    }

    package static func read(_ fields: URLEncodedFields) -> FlowID? {
        ((try? fields.text("flow")) ?? nil).flatMap(FlowID.init)
    }

    /// `path` with the flow in its query, if there is one.
    package static func path(_ path: String, _ flow: FlowID?) -> String {
        flow.map { "\(path)?flow=\($0.text)" } ?? path
    }

    /// Gives up a sign-in and takes the user back to the client.
    package static let cancelPath = SignInPath.cancel

    /// The link of a page back to the flow's client.
    package var cancel: String { Self.path(Self.cancelPath, self) }
}
