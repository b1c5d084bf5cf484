import Foundation
import Glibc
import Testing

@testable import SSOWeb
@testable import TestKit

/// What systemd is told (sd_notify(3)).
@Suite("The messages to systemd", .rules)
struct ServiceManagerTests {
    @Test("go to the socket of NOTIFY_SOCKET, a path or an abstract name", arguments: [false, true])
    func messages(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let name = isAbstract ? "@sso-test-\(UUID().uuidString)" : folder.path(of: "notify")
        let (socket, manager) = (try NotifySocket(name), ServiceManager(["NOTIFY_SOCKET": name]))
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
