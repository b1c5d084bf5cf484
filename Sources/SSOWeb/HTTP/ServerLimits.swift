import Synchronization

/// Limits on time and connections that protect the server from slow and numerous clients.
public struct ServerLimits: Sendable {
    /// A connection is closed after this time without a whole request, also while a head arrives slowly.
    public var idle: Duration
    /// A request must be complete within this time after its head. A phone between two cells sends
    /// nothing for seconds.
    public var request: Duration
    /// The client must have received the whole response within this time.
    public var answer: Duration
    /// The maximum number of connections, of about 50 KiB of memory each while all are busy. Beyond it the connection that has waited
    /// longest for its client is closed.
    public var connections: Int
    /// The bytes that all connections together may hold: requests that are not answered, and answers that are not taken.
    /// The first 4 KiB of each connection do not count, and a request that has begun to arrive counts 32 KiB beside its
    /// bytes. Beyond it the connection that has held bytes longest is closed.
    public var heldBytes: Int
    /// Requests in flight have this time to finish during shutdown.
    public var drain: Duration

    /// The default limits. Each can be replaced.
    public init(
        idle: Duration = .seconds(15), request: Duration = .seconds(10), answer: Duration = .seconds(30),
        connections: Int = 1536, heldBytes: Int = 12 << 20,
        drain: Duration = .seconds(10)
    ) {
        self.idle = idle
        self.request = request
        self.answer = answer
        self.connections = connections
        self.heldBytes = heldBytes
        self.drain = drain
    }
}
