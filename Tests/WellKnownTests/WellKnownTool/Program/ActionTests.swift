import Foundation
import Testing

@testable import TestKit

/// The step of action.yml, with a release in a local folder.
@Suite("The action for workflows", .deployment)
struct ActionTests {
    private static let root = TestVectors.repository.path
    #if arch(arm64)
        private static let architecture = "arm64"
    #else
        private static let architecture = "amd64"
    #endif
    private static let archive = "swift-sso-wellknown-1.2.3-linux-\(architecture)"

    /// The folder of a workflow, with files to lint and a release beside it.
    private static func folder() async throws -> TemporaryFolder {
        let folder = try SampleFiles.folder()
        _ = try folder.folder("release/\(archive)/usr/bin")
        try folder.write(
            "#!/bin/sh\nexec '\(WellKnownRun.program)' \"$@\"\n", to: "release/\(archive)/usr/bin/wellknown")
        let pack =
            "chmod +x \(archive)/usr/bin/wellknown; tar -czf \(archive).tar.gz \(archive); sha256sum *.gz >SHA256SUMS"
        let run = try await WellKnownRun.command(["/bin/bash", "-c", pack], in: folder.path(of: "release"))
        #expect(run.code == 0, "\(run.errors)")
        return folder
    }

    /// Runs the script part of the step, as action.yml has it.
    private static func step(_ folder: TemporaryFolder, _ inputs: [String: String] = [:]) async throws -> WellKnownRun {
        let action = try String(contentsOfFile: root + "/action.yml", encoding: .utf8)
        let line = try #require(action.firstMatch(of: #/run: '(.*)'\n/#)).output.1
        let environment = [
            "PATH": "/usr/bin:/bin", "GITHUB_ACTION_PATH": root, "RUNNER_TEMP": folder.path(of: "temporary"),
            "WELLKNOWN_VERSION": "1.2.3", "WELLKNOWN_SOURCE": "file://\(folder.path(of: "release"))",
            "WELLKNOWN_FILES": "apple-app-site-association assetlinks.json",
        ]
        return try await WellKnownRun.command(
            ["/bin/bash", "-e", "-o", "pipefail", "-c", String(line)], in: folder.path,
            environment: environment.merging(inputs) { $1 })
    }

    @Test("Sound files pass, and the findings are in the file for code scanning")
    func sound() async throws {
        let folder = try await Self.folder()
        let run = try await Self.step(folder)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        #expect(folder.text(of: "wellknown.sarif").contains("\"version\" : \"2.1.0\""))
        #expect(run.output.contains("2 files: "))
    }

    @Test("Errors fail the step, also those of the expectations; in a workflow they are annotations")
    func failing() async throws {
        let folder = try await Self.folder()
        try folder.write("{\"applinks\": {}}", to: "broken.json")
        let lint = try await Self.step(folder, ["WELLKNOWN_FILES": "broken.json", "GITHUB_ACTIONS": "true"])
        #expect(lint.code == 1 && lint.output.contains("::error file=broken.json,"))
        let yaml = """
            expect:
              - {url: "https://links.acme.com/help", ios: \(SampleFiles.app)}
            files:
              links.acme.com: {aasa: apple-app-site-association}
            """
        try folder.write(yaml, to: "expectations.yaml")
        let check = try await Self.step(folder, ["WELLKNOWN_EXPECTATIONS": "expectations.yaml"])
        #expect(check.code == 1, "\(check.output)\(check.errors)")
    }

    @Test(
        "A wrong checksum or no such version stops the step with words, and nothing is run",
        arguments: [
            (["WELLKNOWN_SHA256": String(repeating: "0", count: 64)], "The checksum of "),
            (["WELLKNOWN_VERSION": "9.9.9"], "Version 9.9.9 has no swift-sso-wellknown-9.9.9-linux-"),
            (["WELLKNOWN_SOURCE": "file:///nowhere"], "There is no version 1.2.3: no file:///nowhere/SHA256SUMS."),
            (["WELLKNOWN_VERSION": "../1"], "'../1' is not a version"),
            (["WELLKNOWN_SOURCE": "http://example.com"], "is not a source: give an address with https://."),
        ])
    func stopped(inputs: [String: String], message: String) async throws {
        let folder = try await Self.folder()
        let run = try await Self.step(folder, inputs)
        #expect(run.code == 1 && run.errors.contains(message), "\(run.errors)")
        #expect(run.output.isEmpty && folder.text(of: "wellknown.sarif").isEmpty)
    }

    @Test("An archive that was changed after its checksum is not run")
    func changed() async throws {
        let folder = try await Self.folder()
        let file = folder.path(of: "release/\(Self.archive).tar.gz")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes.append(0)
        try bytes.write(to: URL(fileURLWithPath: file))
        let run = try await Self.step(folder, ["GITHUB_ACTIONS": "true"])
        #expect(run.code == 1 && run.output.hasPrefix("::error title=wellknown::The checksum of "), "\(run.output)")
    }

    @Test("The action gives every setting that the script reads, and neither has a compiler")
    func settings() throws {
        let action = try String(contentsOfFile: Self.root + "/action.yml", encoding: .utf8)
        let script = try String(contentsOfFile: Self.root + "/script/wellknown-action", encoding: .utf8)
        let read = Set(script.matches(of: /\$\{(WELLKNOWN_[A-Z0-9_]+)/).map { String($0.output.1) })
        let given = Set(action.matches(of: /(WELLKNOWN_[A-Z0-9_]+):/).map { String($0.output.1) })
        #expect(read == given)
        for text in [action, script] { #expect(!text.contains("swift build") && !text.contains("swiftc")) }
        for input in action.matches(of: /\$\{\{ inputs\.([a-z0-9-]+) \}\}/).map({ String($0.output.1) }) {
            #expect(action.contains("\n  \(input):\n"), "\(input)")
        }
    }
}
