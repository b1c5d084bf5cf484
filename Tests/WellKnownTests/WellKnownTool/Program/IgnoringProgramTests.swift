import Foundation
import Testing

@testable import TestKit

/// What a team accepts: `--ignore`, `.wellknown.yaml` and a baseline.
@Suite("wellknown as a program: findings that are left out", .deployment)
struct IgnoringProgramTests {
    private static let broken = """
        {
          "webcredentials": {"apps": ["k7q2m9x4tb.com.acme.shop"]}
        }

        """

    private static func folder(_ config: String? = nil) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(broken, to: "apple-app-site-association")
        if let config { try folder.write(config, to: ".wellknown.yaml") }
        return folder
    }

    private static func lint(_ folder: TemporaryFolder, _ more: [String] = []) async throws -> WellKnownRun {
        try await WellKnownRun.run(["lint", "apple-app-site-association"] + more, in: folder.path)
    }

    @Test("--ignore leaves a code out of the findings and of the exit code, and the last line counts it")
    func option() async throws {
        let folder = try Self.folder()
        let all = try await Self.lint(folder)
        #expect(all.code == 1 && all.output.hasSuffix("association: 1 error\n"))
        let run = try await Self.lint(folder, ["--ignore", "id.prefix-lowercase", "--ignore", "json.bom"])
        #expect(run.code == 0 && run.output == "apple-app-site-association: no findings, 1 left out\n")
        let json = try await Self.lint(folder, ["--ignore", "id.prefix-lowercase", "--format", "json"])
        #expect(json.code == 0 && !json.output.contains("prefix-lowercase"))
    }

    @Test("An entry with a reason leaves its code out, in the files that it names")
    func entry() async throws {
        let rule = "ignore:\n  - code: id.prefix-lowercase\n    reason: an old prefix\n"
        let run = try await Self.lint(Self.folder(rule))
        #expect(run.code == 0 && run.errors.isEmpty && run.output.hasSuffix("no findings, 1 left out\n"))
        for (path, code) in [("apple-*", 0), ("*.json", 1), ("./apple-app-site-association", 1)] as [(String, Int32)] {
            let run = try await Self.lint(Self.folder(rule + "    path: \"\(path)\"\n"))
            #expect(run.code == code, "\(path)")
        }
        let other = try Self.folder()
        try other.write(rule, to: "accepted.yaml")
        #expect(try await Self.lint(other, ["--config", "accepted.yaml"]).code == 0)
        #expect(try await Self.lint(other, ["--config", "missing.yaml"]).code == 64)
    }

    @Test("An entry that matches nothing is a remark with its line")
    func unused() async throws {
        let run = try await Self.lint(Self.folder("ignore:\n  - code: json.bom\n    reason: r\n"))
        #expect(run.code == 1)
        #expect(run.errors == "wellknown: .wellknown.yaml:2: remark: the entry for json.bom matches nothing\n")
    }

    @Test(
        "A configuration that would leave nothing out, or everything, is refused with its line and the nearest name",
        arguments: [
            (
                "ignore:\n  - code: id.prefix-lowercse\n    reason: r",
                ":2: there is no code id.prefix-lowercse: did you mean id.prefix-lowercase?"
            ),
            ("ignore:\n  - code: id.prefix-lowercase", ":2: the entry for id.prefix-lowercase needs a reason"),
            (
                "ignore:\n  - code: id.prefix-lowercase\n    reason: \" \"",
                ":2: the entry for id.prefix-lowercase needs a reason"
            ),
            ("ignore:\n  - code: json.bom\n    reason: r\n    pth: x", ":4: unknown key \"pth\": did you mean path?"),
            ("ignores: []", ":1: unknown key \"ignores\": did you mean ignore?"),
            ("ignore: json.bom", ":1: ignore must be a list of entries with code and reason"),
            ("ignore:\n  - json.bom", ":2: it must have the keys code, path, reason"),
            ("- 1", ":1: it must have the keys ignore, baseline"), ("ignore: [", ": it is not valid YAML: "),
            ("baseline: [x]", ":1: baseline must be the name of a file"),
            ("baseline: none.json", "none.json: cannot read it: there is no such file"),
            (
                "baseline: apple-app-site-association",
                "it is not a baseline; write it with wellknown lint --write-baseline FILE"
            ),
        ])
    func refused(config: String, message: String) async throws {
        let run = try await Self.lint(Self.folder(config))
        #expect(run.code == 64 && run.output.isEmpty)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test(
        "A baseline replaces an older one and no other file, and a place that cannot be written is named",
        arguments: [
            ("apple-app-site-association", "it is no baseline, and stays as it is"),
            (".", "it is a folder"), ("none/baseline.json", "it cannot be written"),
        ])
    func written(place: String, message: String) async throws {
        let folder = try Self.folder()
        let file = URL(fileURLWithPath: folder.path(of: "apple-app-site-association"))
        let before = try Data(contentsOf: file)
        let refused = try await Self.lint(folder, ["--write-baseline", place])
        #expect(refused.code == 2 && refused.errors.contains(message), "\(refused.errors)")
        #expect(try Data(contentsOf: file) == before)
        for _ in 1...2 { #expect(try await Self.lint(folder, ["--write-baseline", "baseline.json"]).code == 0) }
    }

    @Test("An unknown code on the command line is refused with the nearest one")
    func unknown() async throws {
        let run = try await Self.lint(Self.folder(), ["--ignore", "id.prefix-lowercse"])
        #expect(run.code == 64 && run.errors.contains("did you mean id.prefix-lowercase?"))
    }

    @Test("No baseline is written without a file that could not be read, nor together with edits")
    func unread() async throws {
        let folder = try Self.folder()
        let run = try await WellKnownRun.run(
            ["lint", "no-such.json", "apple-app-site-association", "--write-baseline", "b.json"], in: folder.path)
        #expect(run.code == 2 && run.errors.contains("no-such.json") && run.output.isEmpty, "\(run)")
        #expect(folder.text(of: "b.json").isEmpty)
        for option in ["--fix", "--dry-run"] {
            #expect(try await Self.lint(folder, ["--write-baseline", "b.json", option]).code == 64)
        }
    }

    @Test("Findings of a baseline do not fail, on other lines either; new ones do")
    func baseline() async throws {
        let folder = try Self.folder("baseline: baseline.json\n")
        let write = try await Self.lint(folder, ["--write-baseline", "baseline.json"])
        #expect(write.output == "baseline.json: 1 finding written\n", "\(write.errors)")
        #expect(!folder.text(of: "baseline.json").contains("line"))
        try folder.write("\n\n" + Self.broken, to: "apple-app-site-association")
        let moved = try await Self.lint(folder)
        #expect(moved.code == 0 && moved.output.hasSuffix("no findings, 1 left out\n"))
        try folder.write(
            Self.broken.replacing("]", with: ", \"no.prefix\"]"), to: "apple-app-site-association")
        let more = try await Self.lint(folder)
        #expect(more.code == 1 && more.output.contains("id.no-prefix") && !more.output.contains("prefix-lowercase"))
        #expect(more.output.hasSuffix("1 error, 1 left out\n"))
    }
}
