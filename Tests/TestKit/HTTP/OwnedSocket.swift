import Glibc

/// A socket that is closed when nobody uses it any more.
///
/// The number of a closed socket is that of the next one that the process opens. A thread that still waited on it, or another one
/// that ended it a second time, would take or break a connection of another test.
final class OwnedSocket: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A TCP socket that listens on a port of 127.0.0.1 that the system chooses.
    static func listening(backlog: Int32 = 64) throws -> OwnedSocket {
        let socket = OwnedSocket(try SocketAddress.socket())
        try SocketAddress.bind(socket.descriptor, to: "127.0.0.1", port: 0)
        guard listen(socket.descriptor, backlog) == 0 else { throw ProbeFailure("listen: errno \(errno)") }
        return socket
    }

    var port: UInt16 { get throws { try SocketAddress.localPort(of: descriptor) } }

    /// The next connection; nil after ``end()``.
    func accept() -> OwnedSocket? {
        let connection = Glibc.accept(descriptor, nil, nil)
        return connection < 0 ? nil : OwnedSocket(connection)
    }

    /// Ends every call that waits on the socket, in both directions.
    func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}
