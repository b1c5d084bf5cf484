import Glibc

/// One kept-alive HTTP/1.1 connection. Reads just enough to find the end of a response, and allocates nothing per request.
final class WireConnection {
    private(set) var descriptor: Int32 = -1
    private let port: UInt16
    /// Its own loopback address: limits per network address then see many users.
    private let source: UInt32
    private var buffer: UnsafeMutableRawBufferPointer
    private var filled = 0

    /// An answer in the connection's buffer. Valid until the next one is read.
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
        // A page that lists 500 services has 200 KiB.
        buffer = .allocate(byteCount: 1 << 20, alignment: 16)
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
        // Lets connect choose the port. Otherwise every bind would keep one.
        setsockopt(descriptor, Int32(IPPROTO_IP), Int32(IP_BIND_ADDRESS_NO_PORT), &on, size)
        guard Self.call(source, 0, { bind(descriptor, $0, $1) }) == 0,
            Self.call(0x7f00_0001, port, { connect(descriptor, $0, $1) }) == 0
        else { throw BenchError("cannot connect to 127.0.0.1:\(port): errno \(errno)") }
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw BenchError("the connection broke while sending: errno \(errno)") }
            sent += count
        }
    }

    /// Sends what the system takes at once. Nil when the connection is broken.
    func sendSome(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        return count >= 0 ? count : errno == EAGAIN ? 0 : nil
    }

    /// Reads what is there. Returns the complete answer, or nil when more must come.
    func receive() throws -> Answer? {
        guard filled < buffer.count else { throw BenchError("an answer of more than \(buffer.count) bytes") }
        let count = recv(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, 0)
        guard count > 0 else { throw BenchError(count == 0 ? "closed by the server" : "read: errno \(errno)") }
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
            throw BenchError("not an HTTP answer")
        }
        let length = ByteSearch.number(after: "content-length: ", in: head) ?? 0
        guard bytes.count >= head.count + length else { return nil }
        filled = 0
        let body = UnsafeRawBufferPointer(rebasing: bytes[head.count..<(head.count + length)])
        return Answer(
            status: status, head: head, body: body, closes: ByteSearch.find("connection: close", in: head) != nil)
    }

    /// A socket with a port of its own on 127.0.0.1.
    static func boundSocket() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(0x7f00_0001, 0) { bind(descriptor, $0, $1) } == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard status == 0 else { throw BenchError("no free port: errno \(errno)") }
        return (descriptor, UInt16(bigEndian: address.sin_port))
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

/// Finds ASCII text in bytes without making strings of them. A lower-case letter in the needle matches both cases.
enum ByteSearch {
    static func find(_ needle: StaticString, in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        let (length, text) = (needle.utf8CodeUnitCount, needle.utf8Start)
        guard bytes.count >= length, start <= bytes.count - length else { return nil }
        let first = text[0]
        var index = start
        let last = bytes.count - length
        search: while index <= last {
            if lower(bytes[index]) != first {
                index += 1
                continue
            }
            var offset = 1
            while offset < length {
                if lower(bytes[index + offset]) != text[offset] {
                    index += 1
                    continue search
                }
                offset += 1
            }
            return index
        }
        return nil
    }

    /// The decimal number that follows a needle.
    static func number(after needle: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let found = find(needle, in: bytes) else { return nil }
        var (index, value) = (found + needle.utf8CodeUnitCount, 0)
        while index < bytes.count, (48...57).contains(bytes[index]), value < 1 << 40 {
            value = value * 10 + Int(bytes[index] - 48)
            index += 1
        }
        return value
    }

    /// The text between a needle and the next of the given bytes.
    static func text(
        after needle: StaticString, until ends: StaticString, in bytes: UnsafeRawBufferPointer, from start: Int = 0
    )
        -> String?
    {
        guard let found = find(needle, in: bytes, from: start) else { return nil }
        let begin = found + needle.utf8CodeUnitCount
        let stops = UnsafeBufferPointer(start: ends.utf8Start, count: ends.utf8CodeUnitCount)
        guard let end = bytes[begin...].firstIndex(where: { stops.contains($0) }) else { return nil }
        return String(decoding: bytes[begin..<end], as: UTF8.self)
    }

    @inline(__always)
    private static func lower(_ byte: UInt8) -> UInt8 {
        byte &- 65 < 26 ? byte | 32 : byte
    }
}
