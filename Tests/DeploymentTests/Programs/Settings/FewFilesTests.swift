import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("A low limit of open files", .deployment)
struct FewFilesTests {
    @Test(
        "is a warning with the way out, and idle connections take a part of the files alone",
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
        let few = try program("check", files: 64)
        #expect(try await few.run() == .code(0), "\(few.output)")
        #expect(few.log.contains("open files: at most 64 are allowed here, so that only 8 connections"), "\(few.log)")
        for (files, fewer) in [(64, 64), (256, 200)] {
            let port = try FreePort.find()
            let program = try program("serve", files: files, port: port)
            try await program.start()
            let probe = HTTPProbe(port: port)
            let folder = "/proc/\(try #require(program.pid))/fd"
            do {
                let idle = try (0..<250).map { _ in try probe.connect() }
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count < fewer)
                withExtendedLifetime(idle) {}
            }
            _ = try await eventually("a visitor is answered again") {
                (try? await probe.get("/readyz").status) == 200 ? true : nil
            }
            #expect(try await program.terminate() == .code(0))
        }
    }
}
