import Glibc
import Synchronization

/// One blocking TCP connection that speaks HTTP/1.1, or sends any malformed bytes.
///
/// Not URLSession: that one joins duplicate headers, repairs requests, follows redirects and keeps cookies of its own.
final class HTTPConnection: Sendable {
    private let socket: OwnedSocket
    /// What came after the answer that was read last.
    private let surplus = Mutex<[UInt8]>([])
    var descriptor: Int32 { socket.descriptor }

    /// - Parameter source: the loopback address to connect from, for limits that count by address: any of 127.0.0.0/8
    /// is allowed.
    init(host: String, port: UInt16, from source: String? = nil, timeout: Duration = .seconds(30)) throws {
        socket = OwnedSocket(try SocketAddress.socket())
        var limit = timeval(tv_sec: Int(timeout.components.seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        if let source { try SocketAddress.bind(descriptor, to: source, port: 0) }
        try SocketAddress.connect(descriptor, to: host, port: port)
    }

    /// A connection that a listener has accepted.
    init(accepted socket: OwnedSocket) { self.socket = socket }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw ProbeFailure("the connection broke while sending: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Closes the sending direction; the answer can still be read.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Some bytes, empty at the end of the stream.
    ///
    /// - Parameter endsByReset: whether a peer that resets the connection has ended the stream.
    /// - Throws: `ProbeFailure` at the timeout, or when the peer resets the connection.
    func receive(endsByReset: Bool = false) throws -> [UInt8] {
        let kept = surplus.withLock { kept in
            defer { kept = [] }
            return kept
        }
        guard kept.isEmpty else { return kept }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == ECONNRESET, endsByReset { return [] }
        guard count >= 0 else { throw ProbeFailure("the connection broke while reading: errno \(errno)") }
        return Array(buffer.prefix(count))
    }

    /// Reads one complete answer. What comes after it is where the next answer begins.
    /// - Throws: `ProbeFailure` when the stream ends before the answer is complete.
    func reply(isHead: Bool = false) throws -> ProbeReply {
        var reader = ReplyReader(isHead: isHead)
        while true {
            let bytes = try receive()
            reader.append(bytes[...])
            if let (reply, rest) = try reader.reply(ended: bytes.isEmpty) {
                surplus.withLock { $0 = Array(rest) }
                return reply
            }
            if bytes.isEmpty {
                throw ProbeFailure(reader.isEmpty ? "closed without an answer" : "closed in the middle of an answer")
            }
        }
    }

    /// Everything until the peer closes its direction.
    /// - Throws: `ProbeFailure` when it does not within the timeout.
    func untilEnd(orReset: Bool = false) throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try receive(endsByReset: orReset)
            if bytes.isEmpty { return all }
            all += bytes
        }
    }

    /// Everything until the peer closes or resets the connection. Tests of malformed requests check this, since two answers to
    /// one request are an error.
    /// - Throws: `ProbeFailure` when it does neither within the timeout.
    func everything() throws -> [UInt8] { try untilEnd(orReset: true) }
}
