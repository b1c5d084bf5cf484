import Foundation
import Testing

@testable import TestKit

/// `lint --fix` and `--dry-run` as users run them.
@Suite("wellknown lint --fix, the program", .deployment)
struct FixProgramTests {
    private static let name = "apple-app-site-association"
    private static let broken = SampleFiles.aasa.replacing(
        "[\"\(SampleFiles.app)\"]", with: "[\"\(SampleFiles.app.lowercased())\",]")
    private static let fingerprints = SampleFiles.assetLinks.replacing(
        SampleFiles.fingerprint, with: SampleFiles.fingerprint.lowercased().replacing(":", with: ""))

    @Test("Both files are mended, keep their formatting and mode, and have none of these findings again")
    func mended() async throws {
        let folder = try SampleFiles.folder()
        try folder.write(Self.broken, to: Self.name)
        try folder.write(Self.fingerprints, to: "assetlinks.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path(of: Self.name))
        let run = try await WellKnownRun.run(["lint", "--fix", Self.name, "assetlinks.json"], in: folder.path)
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.output)\(run.errors)")
        #expect(folder.text(of: Self.name) == SampleFiles.aasa)
        #expect(folder.text(of: "assetlinks.json") == SampleFiles.assetLinks)
        #expect(run.output.contains("\(Self.name): 1 remark (--all), 4 fixed\n"))
        #expect(run.output.hasSuffix(", 6 fixed\n"))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(of: Self.name))
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        let again = try await WellKnownRun.run(["lint", "--fix", Self.name, "assetlinks.json"], in: folder.path)
        #expect(!again.output.contains("fixed"))
    }

    @Test("--dry-run prints a diff that patch takes, changes nothing and exits with 1")
    func dry() async throws {
        let folder = try SampleFiles.folder()
        try folder.write(Self.broken, to: Self.name)
        let run = try await WellKnownRun.run(["lint", "--dry-run", Self.name], in: folder.path)
        #expect(run.code == 1 && folder.text(of: Self.name) == Self.broken)
        #expect(run.output.hasPrefix("--- a/\(Self.name)\n+++ b/\(Self.name)\n@@ -"))
        #expect(run.output.hasSuffix("\(Self.name): no findings, 4 fixed\n"))
        let patch = try await WellKnownRun.command(
            ["/usr/bin/git", "apply", "-"], in: folder.path, input: run.output)
        #expect(patch.code == 0, "\(patch.errors)")
        #expect(folder.text(of: Self.name) == SampleFiles.aasa)
        #expect(try await WellKnownRun.run(["lint", "--dry-run", Self.name], in: folder.path).code == 0)
    }

    @Test(
        "What must not be changed is not, and the output says why",
        arguments: [
            ("link", "it is a symbolic link"), ("read-only", "it is read-only"), ("-", "it is standard input"),
            ("cut", "it cannot be parsed"), ("other.json", "it is no association file"),
            ("webauthn", "it is no association file"),
        ])
    func untouched(name: String, reason: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.broken, to: Self.name)
        try FileManager.default.createSymbolicLink(atPath: folder.path(of: "link"), withDestinationPath: path)
        try folder.write(Self.broken, to: "read-only")
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.path(of: "read-only"))
        try folder.write(String(Self.broken.dropLast(4)), to: "cut")
        try folder.write("{\"scripts\": [1,]}", to: "other.json")
        try folder.write("{\"origins\": [\"HTTPS://a.example/x\",]}", to: "webauthn")
        let before = folder.text(of: name)
        let run = try await WellKnownRun.run(["lint", "--fix", name], in: folder.path, input: Self.broken)
        #expect(run.output.contains("\(name): not changed: \(reason)\n"), "\(run.output)")
        #expect(folder.text(of: name) == before && folder.text(of: Self.name) == Self.broken)
    }

    @Test("A file on a server is linted and not changed")
    func remote() async throws {
        let house = try await FetchHouse.open([FetchHouse.aasaPath: SiteServer.Reply(body: Self.broken)])
        let address = "https://127.0.0.1:\(house.site.port)\(FetchHouse.aasaPath)"
        let run = try await WellKnownRun.run([
            "lint", "--fix", address, "--allow-private", "--ca-file", try #require(house.certificateFile),
            "--time-limit", "60",
        ])
        #expect(run.code == 1 && run.output.contains("not changed: it is remote\n"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("id.prefix-lowercase"))
    }

    @Test("A finding that is left out is not mended")
    func ignored() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.fingerprints, to: "assetlinks.json")
        let run = try await WellKnownRun.run(
            ["lint", "--fix", "--ignore", "fp.lowercase", "--ignore", "fp.no-colons", "assetlinks.json"],
            in: folder.path)
        #expect(run.code == 0 && folder.text(of: "assetlinks.json") == Self.fingerprints)
    }

    @Test("--dry-run goes with text alone")
    func usage() async throws {
        let run = try await WellKnownRun.run(["lint", "--dry-run", "--format", "json", "x"])
        #expect(run.code == 64 && run.errors.contains("--dry-run goes with --format text"))
    }

    @Test("JSON and SARIF carry the same edits, and each of them mends the file")
    func formats() async throws {
        let folder = try TemporaryFolder()
        try folder.write("{\"webcredentials\": {\"apps\": [\"k7q2m9x4tb.com.acme.shop\",]}}\n", to: Self.name)
        func edits(_ format: String, _ read: (Any) -> [[String: Any]]?) async throws -> [[String: Any]] {
            let run = try await WellKnownRun.run(["lint", "--format", format, Self.name], in: folder.path)
            return try #require(read(try JSONSerialization.jsonObject(with: Data(run.output.utf8))))
        }
        let json = try await edits("json") { log in
            let files = (log as? [String: Any])?["files"] as? [[String: Any]]
            let findings = files?.first?["findings"] as? [[String: Any]]
            return findings?.flatMap { $0["edits"] as? [[String: Any]] ?? [] }
        }
        let sarif = try await edits("sarif") { log in
            let runs = (log as? [String: Any])?["runs"] as? [[String: Any]]
            let results = runs?.first?["results"] as? [[String: Any]]
            return results?.flatMap { result in
                let fixes = result["fixes"] as? [[String: Any]] ?? []
                let changes = fixes.flatMap { $0["artifactChanges"] as? [[String: Any]] ?? [] }
                return changes.flatMap { $0["replacements"] as? [[String: Any]] ?? [] }
            }
        }
        #expect(json.map { $0["text"] as? String } == ["K7Q2M9X4TB", ""])
        #expect(json.map { $0["column"] as? Int } == [31, 56] && json.map { $0["endColumn"] as? Int } == [41, 57])
        for (edit, replacement) in zip(json, sarif) {
            let region = replacement["deletedRegion"] as? [String: Int]
            #expect(
                region?["startColumn"] == edit["column"] as? Int && region?["endColumn"] == edit["endColumn"] as? Int)
            #expect((replacement["insertedContent"] as? [String: String])?["text"] == edit["text"] as? String)
        }
        #expect(sarif.count == 2)
    }
}
