import Foundation

/// The kernel's list of TCP connections: the only place where a client that does not read can see that it was closed.
enum SocketTable {
    /// Blocks until the server at `port` has closed its end of `connection`, with or without bytes on the way.
    ///
    /// - Throws: `ProbeFailure` when it has not after half a minute.
    static func waitForEnd(of connection: HTTPConnection, at port: UInt16) throws {
        let client = try SocketAddress.localPort(of: connection.descriptor)
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if !isEstablished(from: port, to: client) { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw ProbeFailure("the server still holds the connection")
    }

    /// Whether the end at the local `port` is in the state ESTABLISHED, 01 in `/proc/net/tcp`.
    private static func isEstablished(from port: UInt16, to peer: UInt16) -> Bool {
        // Files of /proc report no size.
        let data = FileHandle(forReadingAtPath: "/proc/net/tcp").flatMap { try? $0.readToEnd() } ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").contains { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[1].hasSuffix(":" + hex(port)) && columns[2].hasSuffix(":" + hex(peer))
                && columns[3] == "01"
        }
    }

    private static func hex(_ port: UInt16) -> String {
        let digits = String(port, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
