import Foundation
import Glibc

@testable import TestKit

/// Debian's Prometheus, which `script/setup --test-all` unpacks without installing it.
final class Prometheus: Sendable {
    private static let folders = [TestVectors.repository.appending(path: ".build/prometheus/usr/bin").path, "/usr/bin"]

    /// The path of `prometheus` or `promtool`.
    static func path(of program: String) -> String? {
        folders.map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
    }

    static var isInstalled: Bool { path(of: "prometheus") != nil && path(of: "promtool") != nil }

    private let folder: TemporaryFolder
    private let child: ChildProcess
    private let probe: HTTPProbe

    /// Starts it with the files of deploy/metrics and waits until it is ready.
    ///
    /// - Parameter targets: where the programs serve their metrics, for each address in the file.
    init(scraping targets: [String: String]) async throws {
        let folder = try TemporaryFolder()
        var text = try DeployFiles.lines("metrics/prometheus.yml").joined(separator: "\n")
            .replacing("interval: 15s", with: "interval: 1s")
        for (address, target) in targets { text = text.replacing("\"\(address)\"", with: "\"\(target)\"") }
        let file = try folder.write(text, to: "prometheus.yml")
        try folder.write(try DeployFiles.lines("metrics/alerts.yml").joined(separator: "\n"), to: "alerts.yml")
        guard let path = Self.path(of: "prometheus") else { throw ProbeFailure("prometheus is not installed") }
        let port = try FreePort.find()
        let child = try ChildProcess(
            path,
            [
                "--config.file=\(file)", "--storage.tsdb.path=\(folder.path(of: "data"))",
                "--web.listen-address=127.0.0.1:\(port)", "--log.level=warn",
            ],
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path], folder: folder.path,
            standardOutput: folder.path(of: "out"), standardError: folder.path(of: "err"))
        let probe = HTTPProbe(port: port, timeout: .seconds(30))
        (self.folder, self.child, self.probe) = (folder, child, probe)
        try await eventually("Prometheus is ready") { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("Prometheus ended: \(exit)\n\(folder.text(of: "err"))") }
            return (try? await probe.get("/-/ready"))?.status == 200 ? () : nil
        }
    }

    /// The first value of a query; nil for no series.
    func value(_ query: String) async throws -> Double? {
        let encoded = query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let reply = try await probe.get("/api/v1/query?query=\(encoded)")
        guard reply.status == 200 else { throw ProbeFailure("\(query): \(reply.status) \(reply.text)") }
        return reply.text.firstMatch(of: #/"value":\[[0-9.]+,"([^"]+)"\]/#).flatMap { Double($0.1) }
    }

    /// Its answer about the rules it has loaded.
    func rules() async throws -> String { try await probe.get("/api/v1/rules").text }

    func stop() async throws {
        child.send(SIGTERM)
        _ = try await child.waitForExit()
    }
}
