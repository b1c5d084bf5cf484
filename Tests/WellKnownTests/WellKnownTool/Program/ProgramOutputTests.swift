import Foundation
import Testing

@testable import TestKit
@testable import WellKnownTool

/// The output for terminals and build servers, for any content of the files.
@Suite("wellknown as a program: output", .deployment)
struct ProgramOutputTests {
    static let hostile = WellKnownRun.vectors + "/wellknown/golden/hostile/apple-app-site-association"

    @Test(
        "No control character from a file or its name reaches the terminal",
        arguments: ["lint", "match", "explain", "diff"])
    func control(command: String) async throws {
        let folder = try TemporaryFolder()
        let text = try String(contentsOfFile: Self.hostile, encoding: .utf8)
        let name = try folder.write(text, to: "apple-app-site-association \u{1b}[2J\n::error::x")
        let more =
            switch command {
            case "lint": ["\u{1b}]0;missing\u{7}"]
            case "diff": [try folder.write("{\"applinks\":{\"details\":[]}}", to: "b\u{1b}[31m")]
            default: ["https://example.com/ab"]
            }
        for terminal in [false, true] {
            let run = try await WellKnownRun.run(
                [command, name] + more, environment: ["NO_COLOR": "1"], terminal: terminal)
            let bad = (run.output + run.errors).replacing("\r\n", with: "\n").unicodeScalars.filter { scalar in
                let isControl = scalar.value < 0x20 && scalar != "\n" || (0x7f...0x9f).contains(scalar.value)
                return isControl || (0x2028...0x202e).contains(scalar.value)
            }
            #expect(bad.isEmpty, "\(bad.map { String($0.value, radix: 16) }) in \(run.output)\(run.errors)")
            #expect(!run.output.isEmpty || !run.errors.isEmpty)
            // No text from a file begins a line of the output.
            #expect(!run.output.split(separator: "\n").contains { $0.hasPrefix("::") })
        }
    }

    @Test(
        "Colours are used only on terminals that accept them",
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["TERM": "dumb"], false),
        ] as [(Bool, [String: String], Bool)])
    func colour(terminal: Bool, environment: [String: String], isColoured: Bool) async throws {
        let folder = try SampleFiles.folder()
        let run = try await WellKnownRun.run(
            ["lint", "--all", "assetlinks.json"], in: folder.path, environment: environment, terminal: terminal)
        #expect(run.output.contains("\u{1b}[") == isColoured)
        #expect(run.output.contains("fp.play-signing"))
    }

    @Test("Text output has at most 80 columns, except for longer words")
    func columns() async throws {
        let folder = try SampleFiles.folder()
        let broken = WellKnownRun.vectors + "/wellknown/golden/broken"
        for file in ["apple-app-site-association", "assetlinks.json"] {
            let copy = try String(contentsOfFile: "\(broken)/\(file)", encoding: .utf8)
            try folder.write(copy, to: "broken-\(file)")
        }
        for words in [
            ["lint", "broken-apple-app-site-association", "broken-assetlinks.json", "--readers"],
            ["explain", "broken-apple-app-site-association", "https://example.com/a"],
            ["match", "broken-apple-app-site-association", "https://example.com/a"],
            ["diff", "broken-apple-app-site-association", "apple-app-site-association"],
        ] {
            let run = try await WellKnownRun.run(words, in: folder.path)
            #expect(!run.output.isEmpty)
            for line in run.output.split(separator: "\n") where line.count > 80 {
                #expect(line.split(separator: " ").contains { $0.count > 50 }, "\(line.count): \(line)")
            }
        }
    }

    @Test("Each GitHub command is one line, and text from a file cannot add a command")
    func github() async throws {
        let run = try await WellKnownRun.run(["lint", "--format", "github", Self.hostile])
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(!lines.isEmpty)
        for line in lines {
            let parts = try #require(line.wholeMatch(of: /::(error|warning|notice) ([^:]*)::(.*)/), "\(line)")
            #expect(parts.2.split(separator: ",").allSatisfy { $0.contains("=") })
            #expect(!parts.2.contains("line=1::"))
        }
    }

    @Test("The JUnit output is well-formed XML for any file content")
    func junit() async throws {
        let folder = try TemporaryFolder()
        let run = try await WellKnownRun.run(["lint", "--format", "junit", Self.hostile, "a]]>\u{1b}&\"'<.json"])
        let path = try folder.write(run.output, to: "junit.xml")
        let parse = "import sys, xml.dom.minidom as m; d = m.parse(sys.argv[1]); print(d.documentElement.tagName)"
        let check = try await WellKnownRun.command(["/usr/bin/python3", "-c", parse, path])
        #expect(check.output == "testsuites\n", "\(check.errors)")
        #expect(run.output.contains("tests=\""))
    }

    /// SARIF 2.1.0 (OASIS): sections 3.13.2, 3.14.6, 3.19.2, 3.27.11, 3.30.5; GitHub, "SARIF support for code scanning".
    @Test("SARIF output has all members that the standard and code scanning require")
    func sarif() async throws {
        let run = try await WellKnownRun.run(["lint", "--format", "sarif", Self.hostile, "missing.json"])
        #expect(run.code == 2)
        let log = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        #expect((log["$schema"] as? String)?.contains("sarif") == true)
        let one = try #require((log["runs"] as? [[String: Any]])?.first)
        #expect(one["columnKind"] as? String == "unicodeCodePoints")
        let driver = try #require((one["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "wellknown")
        let rules = try #require(driver["rules"] as? [[String: Any]])
        let results = try #require(one["results"] as? [[String: Any]])
        #expect(!results.isEmpty)
        for result in results {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
            #expect(((rules[index]["help"] as? [String: Any])?["text"] as? String)?.isEmpty == false)
            #expect(["error", "warning", "note"].contains(result["level"] as? String))
            #expect(((result["message"] as? [String: Any])?["text"] as? String)?.isEmpty == false)
            let locations = try #require(result["locations"] as? [[String: Any]])
            let place = try #require(locations.first?["physicalLocation"] as? [String: Any])
            #expect((place["artifactLocation"] as? [String: Any])?["uri"] is String)
            if let region = place["region"] as? [String: Any] {
                #expect((region["startLine"] as? Int ?? 0) >= 1)
                #expect((region["startColumn"] as? Int ?? 0) >= 1)
            }
        }
        let invocation = try #require((one["invocations"] as? [[String: Any]])?.first)
        #expect(invocation["executionSuccessful"] as? Bool == false)
    }
}
