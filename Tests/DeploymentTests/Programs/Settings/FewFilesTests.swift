import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("A low limit of open files", .deployment)
struct FewFilesTests {
    @Test(
        "is a problem of the settings with the way out; where it is just enough, idle connections take a part of the files alone",
        arguments: ["idp", "relying-party"])
    func files(name: String) async throws {
        func program(_ command: String, files: Int, port: UInt16 = 0) throws -> ProgramProcess {
            let folder = try TemporaryFolder()
            let (base, prefix) =
                name == "idp" ? (SettingsFixture.idp, "IDP") : (SettingsFixture.client, "RP")
            return ProgramProcess(
                name, ["-c", "ulimit -n \(files) && exec \(Programs.path(of: name)) \(command)"],
                environment: base.merging([
                    "\(prefix)_DATABASE_URL": "sqlite:\(folder.path(of: "x.sqlite"))",
                    "\(prefix)_LISTEN": "127.0.0.1:\(port)",
                ]) { $1 }, port: port, folder: folder, path: "/bin/sh")
        }
        for (command, code) in [("check", 1), ("serve", 78)] as [(String, Int32)] {
            let few = try program(command, files: 200)
            #expect(try await few.run() == .code(code), "\(few.output)")
            #expect(few.log.contains("open files: at most 200 are allowed here, and the program needs 256."))
            #expect(few.log.contains("LimitNOFILE=16384"))
        }
        let port = try FreePort.find()
        let enough = try program("serve", files: 256, port: port)
        try await enough.start()
        let probe = HTTPProbe(port: port)
        let idle = try (0..<250).map { _ in try probe.connect() }
        #expect(try await probe.get("/readyz").status == 200)
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(try #require(enough.pid))/fd").count
        #expect(open < 192, "\(open)")
        withExtendedLifetime(idle) {}
        #expect(try await enough.terminate() == .code(0))
    }
}
