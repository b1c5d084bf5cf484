import Glibc

/// One kept-alive HTTP/1.1 connection. Knows just enough to find where an answer ends; allocates nothing a request.
final class WireConnection {
    private(set) var descriptor: Int32 = -1
    private let port: UInt16
    /// The loopback address it comes from, so that limits by address see many people and not one.
    private let source: UInt32
    private var buffer: UnsafeMutableRawBufferPointer
    private var filled = 0

    /// An answer in the connection's buffer, good until the next one is read.
    struct Answer {
        let status: Int
        let head: UnsafeRawBufferPointer
        let body: UnsafeRawBufferPointer
        let closes: Bool
    }

    /// - Parameter index: picks the source address 127.1.x.y.
    init(port: UInt16, index: Int) throws {
        self.port = port
        source = 0x7f01_0000 + UInt32(index % 60_000) + 1
        buffer = .allocate(byteCount: 1 << 16, alignment: 16)
        try reconnect()
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    func reconnect() throws {
        if descriptor >= 0 { close(descriptor) }
        filled = 0
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        // Without it every bind would take a port for good, and 64 browsers need few; with it connect picks the port.
        setsockopt(descriptor, Int32(IPPROTO_IP), Int32(IP_BIND_ADDRESS_NO_PORT), &on, size)
        guard Self.call(source, 0, { bind(descriptor, $0, $1) }) == 0,
            Self.call(0x7f00_0001, port, { connect(descriptor, $0, $1) }) == 0
        else { throw BenchFault("cannot connect to 127.0.0.1:\(port): errno \(errno)") }
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw BenchFault("the connection broke while sending: errno \(errno)") }
            sent += count
        }
    }

    /// Reads what is there. Answers the whole answer, or nil when more must come.
    func receive() throws -> Answer? {
        guard filled < buffer.count else { throw BenchFault("an answer of more than 64 KiB") }
        let count = recv(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, 0)
        guard count > 0 else { throw BenchFault(count == 0 ? "closed by the server" : "read: errno \(errno)") }
        filled += count
        return try answer()
    }

    /// One request and its answer, waiting for it.
    func exchange(_ bytes: [UInt8]) throws -> Answer {
        try send(bytes)
        while true {
            if let answer = try receive() { return answer }
        }
    }

    private func answer() throws -> Answer? {
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
        guard let headEnd = ByteSearch.find("\r\n\r\n", in: bytes) else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<(headEnd + 4)])
        guard head.count > 12, let status = Int(String(decoding: head[9..<12], as: UTF8.self)) else {
            throw BenchFault("not an HTTP answer")
        }
        let length = ByteSearch.number(after: "content-length: ", in: head) ?? 0
        guard bytes.count >= head.count + length else { return nil }
        filled = 0
        let body = UnsafeRawBufferPointer(rebasing: bytes[head.count..<(head.count + length)])
        return Answer(
            status: status, head: head, body: body, closes: ByteSearch.find("connection: close", in: head) != nil)
    }

    private static func call(
        _ address: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        target.sin_addr.s_addr = address.bigEndian
        return withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
