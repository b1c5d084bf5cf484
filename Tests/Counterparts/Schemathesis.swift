import Foundation

@testable import TestKit

/// Schemathesis, which makes requests from docs/openapi.yaml and compares the answers with it, as `script/setup --test`
/// fetches it.
enum Schemathesis {
    private static let package = TestVectors.repository.path
    private static let library = package + "/.build/schemathesis"
    private static let isInstalled = FileManager.default.fileExists(atPath: library + "/schemathesis")

    /// Whether the test runs. In CI it always does, and a missing program is a failure.
    static let isAvailable = isInstalled || ProcessInfo.processInfo.environment["CI"] != nil

    private static let checks = [
        "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
        "response_schema_conformance", "unsupported_method", "allow_header_conformance", "ignored_auth",
    ]

    /// The same requests in every run.
    private static let options = [
        "--workers", "1", "--max-examples", "\(TestLength.of(short: 3, nightly: 15))", "--generation-deterministic",
        "--phases", "examples,coverage,fuzzing",
        // A busy machine is no fault of the description.
        "--suppress-health-check", "too_slow",
        "--checks", checks.joined(separator: ","), "--request-timeout", "10", "--warnings", "off", "--no-color",
    ]

    /// Runs it against a server.
    ///
    /// - Parameter arguments: which operations, and with which headers.
    /// - Returns: the report of a run that found something; nil for one that did not.
    static func run(_ origin: String, _ arguments: [String], in folder: TemporaryFolder, as name: String) async throws
        -> String?
    {
        guard isInstalled else { throw ProbeFailure("script/setup --test could not fetch schemathesis") }
        let own = try folder.folder(name)
        let environment = Programs.inherited.merging([
            "PYTHONPATH": library, "HOME": own, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8",
        ]) { $1 }
        let command = ["python3", "-m", "schemathesis.cli", "run", package + "/docs/openapi.yaml", "--url", origin]
        let child = try ChildProcess(
            "/usr/bin/env", command + options + arguments, environment: environment, folder: own,
            standardOutput: folder.path(of: "\(name).out"), standardError: folder.path(of: "\(name).err"))
        let exit = try await child.waitForExit()
        return exit == .code(0) ? nil : folder.text(of: "\(name).out") + folder.text(of: "\(name).err")
    }
}
