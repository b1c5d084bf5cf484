import Foundation
import Glibc
import Testing

@testable import SSOWeb
@testable import TestKit

/// What systemd is told (sd_notify(3)).
@Suite("The messages to systemd", .rules)
struct ServiceManagerTests {
    /// A socket as systemd's.
    final class Socket {
        let descriptor: Int32

        init(_ path: String) throws {
            descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var bytes = Array(path.utf8)
            if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(result == 0)
        }

        deinit { close(descriptor) }

        /// The next message that is there already.
        var message: String? {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    @Test("go to the socket of NOTIFY_SOCKET, a path or an abstract name", arguments: [false, true])
    func messages(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let name = isAbstract ? "@sso-test-\(UUID().uuidString)" : folder.path(of: "notify")
        let (socket, manager) = (try Socket(name), ServiceManager(["NOTIFY_SOCKET": name]))
        manager.ready()
        #expect(socket.message == "READY=1\nSTATUS=Serving.")
        manager.isAlive()
        #expect(socket.message == "WATCHDOG=1")
        manager.failed(["IDP_LISTEN: wrong.\nREADY=1", "another"])
        #expect(socket.message == "STATUS=IDP_LISTEN: wrong. READY=1 And 1 more, in the journal.")
        manager.stopping()
        #expect(socket.message?.hasPrefix("STOPPING=1\n") == true)
        #expect(socket.message == nil)
    }

    @Test("are left out where there is no socket, and a name that is too long or gone is ignored")
    func nowhere() {
        for name in [nil, "", "/nowhere/notify", String(repeating: "a", count: 500)] {
            ServiceManager(name.map { ["NOTIFY_SOCKET": $0] } ?? [:]).ready()
        }
    }

    @Test(
        "the watchdog hears three times in its interval, if systemd watches this process",
        arguments: [
            (["WATCHDOG_USEC": "60000000"], Duration.seconds(20)),
            (["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "\(getpid())"], .seconds(20)),
            (["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"], nil), (["WATCHDOG_USEC": "x"], nil),
            (["WATCHDOG_USEC": "0"], nil), ([:], nil),
        ] as [([String: String], Duration?)])
    func watchdog(environment: [String: String], interval: Duration?) {
        #expect(ServiceManager(environment).watchdogInterval == interval)
    }
}
