import Glibc
import Testing

@testable import IdPTestKit
@testable import TestKit

/// What a unit of `Type=notify` hears of the programs.
@Suite("What the programs tell systemd", .deployment)
struct NotifyTests {
    @Test("that they serve, once they listen, and that they stop")
    func ready() async throws {
        let pair = try ProcessDeployment()
        for process in [pair.idp, pair.client.process] {
            let path = pair.folder.path(of: "\(process.name).notify")
            let socket = try NotifySocket(path)
            process.set("NOTIFY_SOCKET", to: path)
            try await process.start()
            let ready = try await eventually("\(process.name) is ready") { socket.message }
            #expect(ready == "READY=1\nSTATUS=Serving.")
            try await process.terminate()
            let stopping = try await eventually("\(process.name) stops") { socket.message }
            #expect(stopping.hasPrefix("STOPPING=1\n"))
        }
    }

    @Test("why they do not start: the setting, also where the system refuses it")
    func failed() async throws {
        let pair = try ProcessDeployment()
        let path = pair.folder.path(of: "notify")
        let socket = try NotifySocket(path)
        for (name, value, code) in [("IDP_MAIL_FROM", "nobody", 78), ("IDP_LISTEN", "192.0.2.1:8080", 1)]
            as [(String, String, Int32)]
        {
            let settings = [name: value, "NOTIFY_SOCKET": path]
            try await pair.idp(["serve"], settings: pair.idp.settings.merging(settings) { $1 }, endsWith: code)
            #expect(socket.message?.hasPrefix("STATUS=\(name): ") == true)
            #expect(socket.message == nil, "a start that fails is never ready")
        }
    }

    @Test("three times in its interval that they are alive")
    func alive() async throws {
        let pair = try ProcessDeployment()
        let path = pair.folder.path(of: "notify")
        let socket = try NotifySocket(path)
        pair.idp.set("NOTIFY_SOCKET", to: path)
        pair.idp.set("WATCHDOG_USEC", to: "300000")
        try await pair.idp.start()
        var heard = 0
        try await eventually("it has said three times that it is alive") { () -> Void? in
            if socket.message == "WATCHDOG=1" { heard += 1 }
            return heard >= 3 ? () : nil
        }
        try await pair.idp.terminate()
    }
}
