import Foundation
import Testing

@testable import TestKit

/// deploy/trial, as script/demo runs it.
@Suite("deploy/trial", .deployment, .dependsOnMachine)
struct TrialScriptTests {
    private static let repository = DeployTests.folder.deletingLastPathComponent()
    private static let script = repository.appending(path: "deploy/trial").path()

    @Test("one sign-in serves both services, a sign-out ends it at both, and one address may not enter one of them")
    func walk() async throws {
        let walk = Self.repository.appending(path: "script/package.d/walk-trial").path()
        let run = try await WellKnownRun.command([walk, Self.script, "--programs", Programs.folder])
        #expect(run.code == 0 && run.errors.isEmpty, "\(run)")
        #expect(run.output.split(separator: "\n").count == 11 && !run.output.contains("FAIL"), "\(run.output)")
    }

    @Test(
        "a wrong port or argument is refused before anything is started",
        arguments: [
            (["WIKI_PORT": "0"], "WIKI_PORT is not a port number: 0"),
            (["IDP_PORT": "x"], "IDP_PORT is not a port number: x"),
            (["IDP_PORT": "9", "RP_PORT": "9"], "IDP_PORT and RP_PORT are both 9; they must differ."),
            (["RP_PORT": "9", "WIKI_PORT": "9"], "WIKI_PORT is 9, and so is IDP_PORT or RP_PORT; they must differ."),
        ] as [([String: String], String)])
    func ports(environment: [String: String], words: String) async throws {
        let folder = try TemporaryFolder()
        let run = try await WellKnownRun.command(
            [Self.script, "--programs", Programs.folder], in: folder.path, environment: environment)
        #expect(run.code == 1 && run.errors == words + "\n" && run.output.isEmpty, "\(run)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        let refused = try await WellKnownRun.command([Self.script, "--port", "80"], in: folder.path)
        #expect(refused.code == 64 && refused.errors.hasPrefix("swift-sso-trial: unknown argument '--port 80'\nUsage:"))
    }
}
