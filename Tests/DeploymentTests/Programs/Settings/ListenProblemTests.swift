import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("An address that a program cannot listen at", .deployment)
struct ListenProblemTests {
    /// Ends a start with exit code 1, and returns the log.
    private static func log(_ name: String, _ settings: [String: String]) async throws -> [Substring] {
        let folder = try TemporaryFolder()
        let base = name == "idp" ? SettingsFixture.idp : SettingsFixture.client
        let prefix = name == "idp" ? "IDP" : "RP"
        let program = ProgramProcess(
            name,
            environment: base.merging([
                "\(prefix)_DATABASE_URL": "sqlite:\(folder.path(of: "\(name).sqlite"))",
                "\(prefix)_LISTEN": "127.0.0.1:0",
            ]) { $1 }.merging(settings) { $1 }, folder: folder)
        #expect(try await program.run() == .code(1), "\(program.log)")
        return program.log.split(separator: "\n")
    }

    @Test(
        "ends the start with exit code 1, and the log says once, in words, which setting, why, and what to do",
        arguments: [("idp", "IDP"), ("relying-party", "RP")])
    func words(name: String, prefix: String) async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let taken = "127.0.0.1:\(pair.idp.port)"
            let rows = [
                ("LISTEN", taken, "\(taken) is already in use. Use another port"),
                ("METRICS_LISTEN", taken, "\(taken) is already in use. Use another port"),
                (
                    "LISTEN", "192.0.2.1:1",
                    "cannot listen at 192.0.2.1:1: Cannot assign requested address. Use an address of this machine, for example 127.0.0.1:1."
                ),
                ("LISTEN", "no.invalid:1", "cannot listen at no.invalid:1: "),
            ]
            for (setting, address, words) in rows {
                // Nor does a listener that is open say that it was cancelled.
                let other = setting == "LISTEN" ? ["\(prefix)_METRICS_LISTEN": "127.0.0.1:0"] : [:]
                let lines = try await Self.log(name, other.merging(["\(prefix)_\(setting)": address]) { $1 })
                let found = lines.filter { $0.contains("\(prefix)_\(setting): \(words)") }
                #expect(found.count == 1 && found.first?.contains("startup_failed") == true, "\(lines)")
                #expect(!lines.contains { $0.contains("errno") || $0.contains("SocketAddressError") }, "\(lines)")
                #expect(!lines.contains { $0.contains("Ignore this") || $0.contains("Cancellation") }, "\(lines)")
                #expect(!lines.contains { $0.contains(" listening ") }, "\(lines)")
            }
        }
    }
}
