package import SSOShared

/// Sends one message. ``HTTPClient`` does, and tests replace it.
package protocol SignOutTransport: Sendable {
    func send(_ request: HTTPClient.Request) async throws(ConnectionError) -> HTTPClient.Response
}

extension HTTPClient: SignOutTransport {
    /// A client with the limits of messages: five seconds for a try, and an answer whose body does not matter.
    package static func forSignOuts() throws(ConnectionError) -> HTTPClient {
        var options = Options()
        options.limits.connect = .seconds(5)
        options.limits.concurrentCalls = SignOutQueue.parallel
        options.limits.bodyBytes = 64 << 10
        options.truncatesBodies = true
        return try HTTPClient(options)
    }
}
