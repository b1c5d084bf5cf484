import Glibc

/// A port without a listener, as of a moment ago.
///
/// A program that must know its own public address before it starts cannot bind port 0 itself, so the kernel picks
/// one here and the socket is closed again. The kernel assigns ephemeral ports in a long cycle: two callers do not
/// get the same one.
enum FreePort {
    static func find(on host: String = "127.0.0.1") throws -> UInt16 {
        let descriptor = try SocketAddress.socket()
        defer { close(descriptor) }
        try SocketAddress.bind(descriptor, to: host, port: 0)
        return try SocketAddress.localPort(of: descriptor)
    }
}

/// The socket calls that the tests need, with IPv4 only: all addresses are loopback.
enum SocketAddress {
    static func socket() throws -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw ProbeFailure("no socket: errno \(errno)") }
        return descriptor
    }

    static func bind(_ descriptor: Int32, to host: String, port: UInt16) throws {
        var address = try make(host, port)
        let status = withSockaddr(&address) { Glibc.bind(descriptor, $0, $1) }
        guard status == 0 else { throw ProbeFailure("cannot bind \(host):\(port): errno \(errno)") }
    }

    static func connect(_ descriptor: Int32, to host: String, port: UInt16) throws {
        var address = try make(host, port)
        let status = withSockaddr(&address) { Glibc.connect(descriptor, $0, $1) }
        guard status == 0 else { throw ProbeFailure("cannot connect to \(host):\(port): errno \(errno)") }
    }

    static func localPort(of descriptor: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { throw ProbeFailure("getsockname: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func make(_ host: String, _ port: UInt16) throws -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &address.sin_addr) == 1 else {
            throw ProbeFailure("not an IPv4 loopback address: \(host)")
        }
        return address
    }

    private static func withSockaddr(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
