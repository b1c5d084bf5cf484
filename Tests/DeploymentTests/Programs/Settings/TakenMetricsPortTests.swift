import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("A port for metrics that another program has", .deployment)
struct TakenMetricsPortTests {
    @Test(
        "ends the start at once with exit code 1, as the program's own port does, and the event names the address",
        arguments: [("idp", "IDP"), ("relying-party", "RP")])
    func taken(name: String, prefix: String) async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let folder = try TemporaryFolder()
            let base = name == "idp" ? SettingsFixture.idp : SettingsFixture.client
            let program = ProgramProcess(
                name,
                environment: base.merging([
                    "\(prefix)_DATABASE_URL": "sqlite:\(folder.path(of: "\(name).sqlite"))",
                    "\(prefix)_LISTEN": "127.0.0.1:0", "\(prefix)_METRICS_LISTEN": "127.0.0.1:\(pair.idp.port)",
                ]) { $1 }, folder: folder)
            #expect(try await program.run() == .code(1), "\(program.log)")
            let line = program.log.split(separator: "\n").first { $0.contains("startup_failed") } ?? ""
            #expect(line.contains("127.0.0.1:\(pair.idp.port)"), "\(program.log)")
        }
    }
}
