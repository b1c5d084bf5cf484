import Glibc
import Synchronization

/// A port without a listener, as of a moment ago.
///
/// A program that must know its own public address before it starts cannot bind port 0 itself. The ports are below those
/// that the kernel assigns (ip_local_port_range begins at 32768), so a server that binds port 0 in the meantime does not
/// get one of them.
enum FreePort {
    private static let next = Mutex(UInt16.random(in: 20_000..<30_000))

    static func find(on host: String = "127.0.0.1") throws -> UInt16 {
        for _ in 0..<1_000 {
            let port = next.withLock { next in
                next = next < 30_000 ? next + 1 : 20_000
                return next
            }
            let descriptor = try SocketAddress.socket()
            defer { close(descriptor) }
            if (try? SocketAddress.bind(descriptor, to: host, port: port)) != nil { return port }
        }
        throw ProbeFailure("no free port between 20000 and 30000 on \(host)")
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
