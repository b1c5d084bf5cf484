/// How long and how much a ``BackChannelClient`` puts up with.
public struct BackChannelLimits: Sendable {
    /// To a connection, TLS included. Two seconds: beyond that the other end is down, whatever it says later.
    public var connect: Duration
    /// The whole call from the moment it is asked for, waiting in line included. Five seconds: a person is looking on.
    public var call: Duration
    /// In line while all places are taken. One second: the person is better off with a page that says "busy".
    public var queue: Duration
    /// The most of an answer that is read. 64 KiB: a real one has some hundred bytes.
    public var replyBytes: Int
    /// Calls on the wire at the same time.
    public var concurrentCalls: Int
    /// Calls in line; one more is refused at once.
    public var waitingCalls: Int

    /// The limits of the contract, each to be replaced by name.
    public init(
        connect: Duration = .seconds(2), call: Duration = .seconds(5), queue: Duration = .seconds(1),
        replyBytes: Int = 65536, concurrentCalls: Int = 32, waitingCalls: Int = 1024
    ) {
        self.connect = connect
        self.call = call
        self.queue = queue
        self.replyBytes = replyBytes
        self.concurrentCalls = concurrentCalls
        self.waitingCalls = waitingCalls
    }
}

extension Duration {
    /// Whole milliseconds for curl, at least one: zero would mean "no limit" there.
    var curlMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Swift.max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
