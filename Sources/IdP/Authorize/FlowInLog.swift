import SSOShared

/// What the log calls a flow, from the visit that begins it to the partner's verification: 12 characters of the hash of
/// its `state`. The state itself is the partner's secret, and no log shows it.
enum FlowInLog {
    static func name(stateDigest: [UInt8]) -> String { Base64URL.encode(Array(stateDigest.prefix(9))) }

    static func name(_ request: AuthorizeRequest) -> String {
        name(stateDigest: SHA256.hash(Array(request.state.utf8)))
    }
}

extension PendingFlows {
    /// The name of a flow that waits here; `-` for none.
    func nameInLog(_ flow: FlowID?) -> String {
        flow.flatMap { flows[$0.text] }.map { FlowInLog.name($0.request) } ?? "-"
    }
}
