import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

/// A log that cannot be written does not end a program.
@Suite("A log that cannot be written", .deployment)
struct LogOutletTests {
    @Test("with a full disk both programs continue to serve", arguments: ["idp", "relying-party"])
    func fullDisk(name: String) async throws {
        let pair = try ProcessDeployment(settings: ["LOG_LEVEL": "trace"], clientSettings: ["LOG_LEVEL": "trace"])
        let original = name == "idp" ? pair.idp : pair.client.process
        let folder = try TemporaryFolder()
        let child = try ChildProcess(
            Programs.path(of: name), ["serve"], environment: original.settings, folder: folder.path,
            standardOutput: "/dev/full", standardError: "/dev/full")
        let probe = HTTPProbe(host: original.host, port: original.port, timeout: .seconds(5))
        try await eventually("\(name) is ready", within: TestTimeout.limit) { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("\(name) ended: \(exit)") }
            return (try? await probe.get("/readyz"))?.status == 200 ? () : nil
        }
        for _ in 1...5 { #expect(try await probe.get("/nowhere").status == 404) }
        #expect(child.exit == nil)
        child.send(SIGTERM)
        #expect(try await child.waitForExit() == .code(0))
    }
}
