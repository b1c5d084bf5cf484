import Foundation
import Testing

@testable import TestKit

/// Compares every output format byte by byte, for broken files and for a hostile file.
///
/// After an intended change, run these tests once with GOLDEN=write, and read the diff before the commit.
@Suite("wellknown as a program: golden outputs", .deployment)
struct GoldenOutputTests {
    static let folder = WellKnownRun.vectors + "/wellknown/golden"
    static let inputs = [
        "broken/apple-app-site-association", "broken/assetlinks.json", "hostile/apple-app-site-association",
    ]
    static let formats = ["text", "json", "junit", "github", "sarif"]

    @Test("The findings of a file equal the golden output", arguments: inputs, formats)
    func findings(input: String, format: String) async throws {
        let run = try await WellKnownRun.run(["lint", "--format", format, input], in: Self.folder)
        #expect(run.code == 1)
        #expect(run.errors.isEmpty)
        try compare(run.output, "\(input.replacing("/", with: "-")).\(format).golden")
    }

    @Test("The table of readers equals the golden output", arguments: ["text", "json"])
    func readers(format: String) async throws {
        let run = try await WellKnownRun.run(
            ["lint", "--readers", "--format", format, "broken/assetlinks.json"], in: Self.folder)
        try compare(run.output, "readers.\(format).golden")
    }

    @Test("Answers equal the golden output", arguments: ["match", "explain"], ["text", "json"])
    func answers(command: String, format: String) async throws {
        let run = try await WellKnownRun.run(
            [command, "--format", format, "broken/apple-app-site-association", "https://example.com/admin/x?y=1"],
            in: Self.folder)
        try compare(run.output, "\(command).\(format).golden")
    }

    private func compare(_ output: String, _ name: String) throws {
        let url = URL(fileURLWithPath: "\(Self.folder)/\(name)")
        if ProcessInfo.processInfo.environment["GOLDEN"] == "write" { try Data(Self.dated(output).utf8).write(to: url) }
        let golden = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        #expect(Self.steady(output) == Self.steady(golden), "\(name) differs")
    }

    /// The output with a fixed time of the run, so that writing changes only what is different.
    private static func dated(_ output: String) -> String {
        output.replacing(/timestamp="[^"]*"/, with: "timestamp=\"2026-01-01T00:00:00\"")
    }

    /// The output without the program's version and the time of the run.
    private static func steady(_ output: String) -> String {
        output.replacing(/"version" : "\d+\.\d+\.\d+"/, with: "").replacing(/timestamp="[^"]*"/, with: "")
    }
}
