import Glibc

/// A load: the next request of a connection, and what to do with its answer.
protocol Load {
    /// The bytes to send next on this connection.
    mutating func request(on connection: Int) -> [UInt8]
    /// Takes an answer that came after so many microseconds. False: this connection is finished.
    mutating func took(_ answer: WireConnection.Answer, on connection: Int, after microseconds: UInt32) -> Bool
    /// Records that a connection broke. It is opened again.
    mutating func broke(_ connection: Int)
}

/// Keeps one request under way on every connection, from one thread, so that it takes little from the server.
struct LoadLoop {
    let connections: [WireConnection]

    /// What a run cost.
    struct Cost {
        let seconds: Double
        /// The load generator's own share of one core.
        let ownShare: Double
    }

    func run(_ load: inout some Load) throws -> Cost {
        var (started, active) = ([UInt64](repeating: 0, count: connections.count), 0)
        // poll and not epoll, which Swift's Glibc module does not show: for 64 descriptors the two cost the same.
        var waiting = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        let (begin, cpuBefore) = (Self.now(), Self.ownProcessorTime())
        for index in connections.indices {
            try start(index, &load, &started)
            active += 1
        }
        while active > 0 {
            let count = poll(&waiting, UInt(waiting.count), 10_000)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw BenchError("no answer for ten seconds") }
            for index in waiting.indices where waiting[index].revents != 0 {
                do {
                    guard let answer = try connections[index].receive() else { continue }
                    let latency = UInt32(clamping: (Self.now() - started[index]) / 1_000)
                    let (goesOn, closes) = (load.took(answer, on: index, after: latency), answer.closes)
                    if closes { try connections[index].reconnect() }
                    waiting[index].fd = goesOn ? connections[index].descriptor : -1
                    if goesOn { try start(index, &load, &started) } else { active -= 1 }
                } catch {
                    load.broke(index)
                    try connections[index].reconnect()
                    waiting[index].fd = connections[index].descriptor
                    try start(index, &load, &started)
                }
            }
        }
        let seconds = Double(Self.now() - begin) / 1e9
        return Cost(seconds: seconds, ownShare: (Self.ownProcessorTime() - cpuBefore) / seconds)
    }

    private func start(_ index: Int, _ load: inout some Load, _ started: inout [UInt64]) throws {
        started[index] = Self.now()
        try connections[index].send(load.request(on: index))
    }

    /// Nanoseconds of the monotonic clock.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Seconds of processor time this process has used.
    private static func ownProcessorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
