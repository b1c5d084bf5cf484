import Synchronization

/// How long and how much a connection may hold the server up (contract 7).
public struct ServerLimits: Sendable {
    /// A connection on which nothing whole comes for this long is closed: between requests, and inside a head, however
    /// steadily that drips.
    public var idle: Duration
    /// A request must be there whole this long after its head. Forms and verify requests are small: 64 KiB take two
    /// seconds on a line of 256 kbit/s.
    public var request: Duration
    /// An answer must be taken whole this long after it began: the largest page goes through a bad line in that.
    public var answer: Duration
    /// 25 KiB of memory each. For more connections than this, those that have waited longest for a whole request are closed.
    public var connections: Int
    /// What is in flight at SIGTERM has this long to finish.
    public var drain: Duration

    /// The limits of the contract, each to be replaced by name.
    public init(
        idle: Duration = .seconds(15), request: Duration = .seconds(3), answer: Duration = .seconds(30),
        connections: Int = 4096, drain: Duration = .seconds(10)
    ) {
        self.idle = idle
        self.request = request
        self.answer = answer
        self.connections = connections
        self.drain = drain
    }
}

/// Whether the program has been asked to stop. Shared by everything that then behaves differently: `/readyz` answers 503,
/// and every answer ends its connection.
public final class ShutdownState: Sendable {
    private let hasBegun = Atomic(false)

    public init() {}

    /// Whether the program is about to stop.
    public var isUnderWay: Bool { hasBegun.load(ordering: .relaxed) }

    /// Has the program behave as one that is about to stop.
    public func begin() { hasBegun.store(true, ordering: .relaxed) }
}
